import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { eventually } from '../../harness/agency.ts';

/** A platform that was installed as the documents say. */
export interface Installation {
  /** The operators' command line; resolves to what it printed. */
  readonly operator: (...args: string[]) => Promise<string>;
  readonly origin: string;
  /** Where the hosts lead to. */
  readonly address: string;
  /** The certificate of the authority that browsers would have to know. */
  readonly authority?: string;
  readonly stop: () => Promise<void>;
}

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly cookie?: string;
}

/**
 * What docs/compose.md and docs/kubernetes.md end with: an owner who chooses a password by the operator's link, signs
 * in and publishes a site that visitors see. Throws where one of it does not work.
 */
export async function useInstallation({ operator, origin, address, authority }: Installation): Promise<void> {
  const call = async (url: string, { method = 'GET', body, cookie }: Sent = {}) => {
    const { protocol, hostname, port, host, pathname, search } = new URL(url);
    const isTls = protocol === 'https:';
    const options = {
      ...{ method, host: address, port: port || (isTls ? 443 : 80), path: `${pathname}${search}`, servername: hostname, agent: false },
      headers: { host, origin, ...(cookie && { cookie }), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(authority !== undefined && { ca: readFileSync(authority) }),
    };
    const sent = (isTls ? tlsRequest : plainRequest)(options).end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    return {
      status: response.statusCode as number,
      cookies: response.headers['set-cookie'] as string[] | undefined,
      text: await text(response),
    };
  };
  const expect = async (status: number, url: string, sent?: Sent) => {
    const answer = await call(url, sent);
    if (answer.status !== status) throw new Error(`${sent?.method ?? 'GET'} ${url}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer;
  };

  const email = 'you@example.com';
  const said = await operator('org', 'create', 'Kiln Studio', '--owner', email);
  const [link = ''] = /https?:\/\/\S+/.exec(said) ?? [];
  if (!link.startsWith(origin)) throw new Error(`The command printed no link of ${origin}: ${said}`);
  await expect(200, link);
  const password = { token: new URL(link).searchParams.get('token'), newPassword: 'a password of mine' };
  await expect(200, `${origin}/api/auth/reset-password`, { method: 'POST', body: password });
  await expect(400, `${origin}/api/auth/reset-password`, { method: 'POST', body: password });
  const { cookies = [] } = await expect(200, `${origin}/api/auth/sign-in/email`, {
    method: 'POST',
    body: { email, password: password.newPassword },
  });
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  await expect(200, `${origin}/`, { cookie });
  const api = async (status: number, path: string, method: string, body: unknown) =>
    JSON.parse((await expect(status, `${origin}/api/v1${path}`, { method, body, cookie })).text);
  const { project } = await api(201, '/projects', 'POST', { client_email: email, name: 'Harbour Bakery' });
  const page = '<!doctype html><title>Harbour Bakery</title><h1>Bread</h1>';
  const published = await api(200, `/projects/${project.id}/publish`, 'POST', { builtFiles: { 'index.html': page } });
  const site: string = published.url;
  await eventually(async () => {
    const { text: shown } = await expect(200, site);
    if (!shown.includes('<h1>Bread</h1>')) throw new Error(`${site} shows ${shown.slice(0, 200)}`);
  });
}
