import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';

const prefixed = /(^|;\s*)webkiln_/g;
const prefix = /^__Host-/;
const secure = /;\s*Secure\b/gi;

/** WebKit alone: Chromium names it, too, for the sake of old pages. */
const isWebKit = ({ headers }: IncomingMessage): boolean => {
  const agent = headers['user-agent'] ?? '';
  return agent.includes('AppleWebKit/') && !/Chrom(e|ium)\//.test(agent);
};

/** True for a platform that runs on the machine of its visitor, without TLS. */
export function isPlainLoopback(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && (hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]');
}

/**
 * Cookies for a platform at http://localhost. Browsers take Secure cookies there as over TLS, but WebKit does not: for
 * it the cookies lose `Secure` and the prefix that requires it, and get the prefix back in its requests.
 */
export const withLoopbackCookies =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    if (isWebKit(request)) {
      if (request.headers.cookie !== undefined) request.headers.cookie = request.headers.cookie.replace(prefixed, '$1__Host-webkiln_');
      rewriteCookies(response);
    }
    handle(request, response);
  };

const plain = (cookie: string) => cookie.replace(prefix, '').replace(secure, '');

/** Our handlers write heads with headers as an object or as alternating names and values. */
function rewriteCookies(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    headers?: OutgoingHttpHeaders | readonly string[],
  ) => ServerResponse;
  response.writeHead = ((status: number, headers?: OutgoingHttpHeaders | readonly string[]) => {
    if (headers === undefined) return writeHead(status);
    if (Array.isArray(headers)) {
      return writeHead(
        status,
        headers.map((text: string, at) => (at % 2 === 1 && String(headers[at - 1]).toLowerCase() === 'set-cookie' ? plain(text) : text)),
      );
    }
    const { 'set-cookie': cookies, ...others } = headers as OutgoingHttpHeaders;
    return writeHead(
      status,
      cookies === undefined ? others : { ...others, 'set-cookie': [cookies].flat().map((each) => plain(String(each))) },
    );
  }) as ServerResponse['writeHead'];
}
