import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';

export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface VisitOptions {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request. The path is sent as given: not normalised, decoded or redirected. */
export async function visit(
  port: number,
  path: string,
  { host = 'shop.sites.test', method = 'GET', headers = {} }: VisitOptions = {},
): Promise<TestResponse> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { ...headers, host }, agent: false }).end();
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}
