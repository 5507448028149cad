import { randomUUID } from 'node:crypto';

export const origin = 'http://localhost:4400';

/** A page of the authorization server. */
export interface Page {
  readonly path: string;
  readonly html: string;
}

/** A browser with a person in it. Requests may go to any replica. */
export class Browser {
  /** Its address, as the gateway states it. */
  network = randomUUID();
  readonly cookies = new Map<string, string>();
  /** The port of the replica that gets the next request. */
  port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Sends a request with the browser's cookies; never follows redirects. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-webkiln-client-address': this.network, ...(cookie !== '' && { cookie }), ...(init.headers as object) };
    const response = await fetch(`http://127.0.0.1:${this.port}${path.replace(origin, '')}`, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1);
      const at = pair.indexOf('=');
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(set)) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  post(path: string, form: Form, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send(path, { method: 'POST', body: new URLSearchParams(form as [string, string][]), headers });
  }

  async reload(path: string): Promise<Page & { response: Response }> {
    const response = await this.send(path);
    return { path, html: await response.clone().text(), response };
  }

  /** Submits a form of a page with its token. */
  submit({ path, html }: Page, form: Form): Promise<Response> {
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    return this.post(path, [['token', token], ...(Array.isArray(form) ? form : Object.entries(form))], { 'sec-fetch-site': 'same-origin' });
  }

  /** Signs in on the page and returns the page that follows. */
  async signIn(page: Page, email: string, password: string) {
    const answered = await this.submit(page, { step: 'sign-in', email, password });
    if (answered.status !== 303) throw new Error(`${answered.status} ${await answered.text()}`);
    return this.reload(answered.headers.get('location') ?? '');
  }

  /** Follows the redirects of our own until one leads to the agent; returns its address. */
  async follow(response: Response): Promise<URL> {
    let location = response.headers.get('location') ?? '';
    while (location.startsWith('/') || location.startsWith(origin)) location = (await this.send(location)).headers.get('location') ?? '';
    return new URL(location);
  }

  /**
   * Allows the agent on a consent page, for its first organization or the given one; returns the callback's address.
   */
  async allow(page: Page, membership = firstChoice(page.html)): Promise<URL> {
    return this.follow(await this.submit(page, decision(page, membership)));
  }
}

type Form = Readonly<Record<string, string>> | [string, string][];

/** The form of a person that allows everything that the page names, but the scopes of `without`. */
export const decision = ({ html }: Page, membership: string, without: readonly string[] = []): [string, string][] => [
  ...(Object.entries({ step: 'decide', decision: 'allow', membership }) as [string, string][]),
  ...[...html.matchAll(/name="scope" value="([^"]+)"/g)].flatMap(([, scope = '']): [string, string][] =>
    without.includes(scope) ? [] : [['scope', scope]],
  ),
];

const firstChoice = (html: string) => /name="membership" value="([^"]+)"/.exec(html)?.[1] ?? '';
