export { acceptedEncoding, type Encoding, isKnown } from './negotiation.ts';
export { clientNetwork, readBytes, requestTarget, visitorAddress } from './request.ts';
export { createHttpServer, drainHttp, escapeHtml, sendParts } from './server.ts';
