import type { OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';

const prefix = '__Host-';
/** The cookies that identity sets with the prefix. Those of pages and of the authorization server have it nowhere. */
const plainName = /^webkiln_(?:session|session_data|account_data|dont_remember|two_factor|trust_device|passkey|devices)=/;
const secure = /;\s*Secure\b/gi;

/** Answers to API requests set no cookies. */
const apiPath = '/api/v1/';

/**
 * Cookies for a platform whose ORIGIN is http. Safari drops cookies that are Secure there, and __Host- requires Secure
 * (RFC 6265bis §4.1.3.2): responses lose both, and requests get the prefix back. For browsers alike, by the setting
 * alone: no header of a request decides it.
 */
export const withPlainCookies =
  (handle: RequestListener): RequestListener =>
  (request, response) => {
    const { cookie } = request.headers;
    if (cookie !== undefined) request.headers.cookie = prefixed(cookie);
    if (!request.url?.startsWith(apiPath)) rewriteCookies(response);
    handle(request, response);
  };

const nameOf = (pair: string) => pair.split('=', 1)[0];

/** The plain cookie goes before one with the prefix, which an earlier release may have left in the browser. */
function prefixed(header: string): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  const ours = pairs.filter((pair) => plainName.test(pair)).map((pair) => `${prefix}${pair}`);
  const names = new Set(ours.map(nameOf));
  return [...ours, ...pairs.filter((pair) => !plainName.test(pair) && !names.has(nameOf(pair)))].join('; ');
}

const plain = (cookie: string) => (cookie.startsWith(prefix) ? cookie.slice(prefix.length) : cookie).replace(secure, '');

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
