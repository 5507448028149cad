export {
  acceptedEncoding,
  acceptedLanguage,
  clientNetwork,
  type Encoding,
  isKnown,
  jsonText,
  networkPrefixOf,
  readBytes,
  requestTarget,
  visitorAddress,
} from './request.ts';
export { createHttpServer, drainHttp, escapeHtml, sendParts } from './server.ts';
