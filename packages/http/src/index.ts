export {
  acceptedEncoding,
  acceptedLanguage,
  areNetworks,
  clientAddress,
  clientIp,
  clientNetwork,
  type Encoding,
  isInNetworks,
  isKnown,
  networkPrefixOf,
  readBytes,
  requestTarget,
  trustedProxy,
  visitorAddress,
  wideNetworks,
} from './request.ts';
export { createHttpServer, drainHttp, escapeHtml, sendParts } from './server.ts';
