import { randomBytes } from 'node:crypto';
import { Api, ApiResponse, someAddress } from './api.ts';
import { mailedLink } from './mails.ts';
import { sharedPlatform } from './shared-platform.ts';
import type { PlatformFacts } from './test-platform.ts';

/** Matches the link that confirms the address of a new account. */
export const confirmLink = /http\S+\/confirm-email\?token=[^\s"]+/;
/** Matches the links of a change of address. */
export const changeLink = /http\S+\/api\/auth\/verify-email\?token=[^\s"]+/;

/** A person with a browser: its cookies, its client address and the headers that browsers add. */
export class Person {
  readonly email: string;
  readonly password = `p-${randomBytes(9).toString('base64url')}`;
  readonly platform: PlatformFacts;
  /** Client address; random, so that each browser is in its own network. */
  readonly address = someAddress();
  readonly cookies = new Map<string, string>();
  readonly #origin: string;
  /** As Safari does: no cookie that is Secure comes from an address without TLS, be it this machine. */
  readonly #isSafari: boolean;

  constructor({
    platform = sharedPlatform(),
    email = `${randomBytes(6).toString('hex')}@example.com`,
    gateway = 0,
    isSafari = false,
  } = {}) {
    this.#isSafari = isSafari;
    this.platform = platform;
    this.email = email;
    this.#origin = platform.origins[gateway] ?? '';
  }

  /** Sends a request to a sign-in route; `path` is below /api/auth, or a full URL. */
  async auth(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const response = await fetch(path.startsWith('http') ? path : `${this.#origin}/api/auth${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { ...this.headers(), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.#storeCookies(response.headers.getSetCookie());
    return new ApiResponse(response.status, response.headers, await response.text());
  }

  /** The headers that the browser adds to each request. */
  headers(): Record<string, string> {
    return { ...this.#cookieHeader(), origin: this.platform.origins[0] ?? '', 'x-forwarded-for': this.address };
  }

  /** The API as a page of the dashboard calls it. */
  get api(): Api {
    return new Api(`${this.#origin}/api/v1`, undefined, this.headers());
  }

  signUp(more: Record<string, unknown> = { organization_name: `Studio ${this.email}` }): Promise<ApiResponse> {
    return this.auth('/sign-up/email', { name: 'Ada', email: this.email, password: this.password, ...more });
  }

  /** Presses the button behind a mailed link that confirms the address, which also signs in. */
  async followConfirmLink(link: string): Promise<ApiResponse> {
    return this.auth('/confirm-email', { token: new URL(link).searchParams.get('token') ?? '' });
  }

  /** Confirms the address by the newest mailed link; the person is signed in then. */
  async confirmEmail(): Promise<void> {
    (await this.followConfirmLink(await mailedLink(this.platform, this.email, confirmLink))).expect(200);
  }

  signIn(password = this.password, more: Record<string, unknown> = {}): Promise<ApiResponse> {
    return this.auth('/sign-in/email', { email: this.email, password, ...more });
  }

  #cookieHeader(): Record<string, string> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  #storeCookies(setCookies: readonly string[]): void {
    for (const cookie of setCookies) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const isSecure = attributes.some((attribute) => /^secure$/i.test(attribute)) || pair.startsWith('__Host-');
      if (this.#isSafari && isSecure && this.#origin.startsWith('http:')) continue;
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(at + 1));
    }
  }
}

/** Signs up a person with a new organization; the link in the mail signs them in. */
export async function owner(options: ConstructorParameters<typeof Person>[0] = {}): Promise<Person> {
  const person = new Person(options);
  (await person.signUp()).expect(200);
  await person.confirmEmail();
  return person;
}
