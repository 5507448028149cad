export { clientNetwork } from './client-network.ts';
export { isKnown } from './conditional-request.ts';
export { acceptedEncoding, type Encoding } from './content-negotiation.ts';
export { drainHttp } from './drain.ts';
export { escapeHtml } from './escape-html.ts';
export { createHttpServer } from './http-server.ts';
export { readBytes } from './read-body.ts';
export { requestTarget } from './request-target.ts';
export { visitorAddress } from './visitor-address.ts';
