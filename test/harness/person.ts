import { randomBytes, randomInt } from 'node:crypto';
import { Answer, Api } from './api.ts';
import { linkTo } from './mails.ts';
import { sharedPlatform } from './shared-platform.ts';
import type { PlatformFacts } from './test-platform.ts';

export const verifyLink = /http\S+\/api\/auth\/verify-email\?token=[^\s"]+/;

/** Somebody at a browser of his own: its cookies, its address, and the headers that it sends by itself. */
export class Person {
  readonly email: string;
  readonly password = `p-${randomBytes(9).toString('base64url')}`;
  readonly platform: PlatformFacts;
  /** Each browser is in a network of its own. */
  readonly address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  readonly cookies = new Map<string, string>();
  readonly #origin: string;

  constructor({ platform = sharedPlatform(), email = `${randomBytes(6).toString('hex')}@example.com`, gateway = 0 } = {}) {
    this.platform = platform;
    this.email = email;
    this.#origin = platform.origins[gateway] ?? '';
  }

  /** Asks for what belongs to signing in; `path` is below /api/auth. */
  async auth(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(path.startsWith('http') ? path : `${this.#origin}/api/auth${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { ...this.headers(), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    this.#keep(response.headers.getSetCookie());
    return new Answer(response.status, response.headers, await response.text());
  }

  /** What the browser sends of itself with each request. */
  headers(): Record<string, string> {
    return { ...this.#asHeader(), origin: this.platform.origins[0] ?? '', 'x-forwarded-for': this.address };
  }

  /** The API as a page of ours calls it. */
  get api(): Api {
    return new Api(`${this.#origin}/api/v1`, undefined, this.headers());
  }

  signUp(more: Record<string, unknown> = { organization_name: `Studio ${this.email}` }): Promise<Answer> {
    return this.auth('/sign-up/email', { name: 'Ada', email: this.email, password: this.password, ...more });
  }

  /** Follows the newest link that confirms the address. */
  async verify(): Promise<Answer> {
    return (await this.auth(await linkTo(this.platform, this.email, verifyLink))).expect(302);
  }

  signIn(password = this.password, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.auth('/sign-in/email', { email: this.email, password, ...more });
  }

  #asHeader(): Record<string, string> {
    const pairs = [...this.cookies].map(([name, value]) => `${name}=${value}`);
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') };
  }

  #keep(setCookies: readonly string[]): void {
    for (const cookie of setCookies) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(at + 1));
    }
  }
}

/** Somebody who signed up with an organization of his own, and is signed in. */
export async function owner(options: ConstructorParameters<typeof Person>[0] = {}): Promise<Person> {
  const person = new Person(options);
  (await person.signUp()).expect(200);
  await person.verify();
  (await person.signIn()).expect(200);
  return person;
}
