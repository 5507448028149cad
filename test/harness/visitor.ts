import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { runsElsewhere } from './shared-platform.ts';

interface PageResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Extra = Readonly<Record<string, string>>;

/** Loads a page of a site: connects to `origin` with the URL's host, because Node does not resolve `*.localhost`. */
export const visit = (origin: string, url: string, headers: Extra = {}): Promise<PageResponse> => send(origin, url, { headers });

/** Submits a form of a published site, as a browser without JavaScript does; `from` is the visitor's own address. */
export const sendForm = (origin: string, url: string, fields: Extra, headers: Extra = {}, from?: string): Promise<PageResponse> =>
  send(origin, url, {
    method: 'POST',
    // In a cluster, a visitor's own address ends at the node, which is a trusted proxy.
    ...(from !== undefined && !runsElsewhere() && { localAddress: from }),
    headers: {
      ...(from !== undefined && runsElsewhere() && { 'x-forwarded-for': from }),
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });

async function send(
  origin: string,
  url: string,
  { method = 'GET', headers = {}, body = '', localAddress }: { method?: string; headers?: Extra; body?: string; localAddress?: string },
) {
  const { host, pathname, search } = new URL(url);
  const { port } = new URL(origin);
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { method, path: `${pathname}${search}`, headers: { ...headers, ...length, host }, ...(localAddress && { localAddress }) };
  const sent = request({ host: '127.0.0.1', port, agent: false, ...options }).end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}
