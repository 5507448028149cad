export { isOwnMachine, isReadByOthers, warningStylePath, withWarning } from './plain-http.ts';
export {
  acceptedEncoding,
  acceptedLanguage,
  clientNetwork,
  type Encoding,
  isKnown,
  networkPrefixOf,
  readBytes,
  requestTarget,
  visitorAddress,
} from './request.ts';
export { createHttpServer, drainHttp, escapeHtml, sendParts } from './server.ts';
