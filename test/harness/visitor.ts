import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';

interface Shown {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Visits a published site as a browser does on this machine, where Node by itself finds no `*.localhost`: to `origin`, for the URL's host. */
export async function visit(origin: string, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
  const { host, pathname, search } = new URL(url);
  const { port } = new URL(origin);
  const sent = request({ host: '127.0.0.1', port, path: `${pathname}${search}`, headers: { ...headers, host }, agent: false }).end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}
