import { AppError, sessionCookie } from '@webkiln/contract';
import { accountByEmail } from '../accounts/account-store.ts';
import { identityCaller } from '../sign-in/identity-caller.ts';
import type { KnownDevices } from '../sign-in/known-devices.ts';
import { beginAttempt, type CountedAttempt } from '../sign-in/login-attempt-store.ts';
import { SlowedAttempts } from '../sign-in/slowed-attempts.ts';
import { type AuthRoute, emailOf, type RequestSource } from './auth-routes.ts';

/** Counts attempts, and holds back those on accounts that are attacked from elsewhere. */
export class AttemptGate {
  readonly #devices: KnownDevices;
  readonly #slowed = new SlowedAttempts();

  constructor(devices: KnownDevices) {
    this.#devices = devices;
  }

  /** Resolves when the attempt may be made. Throws `rate_limited`; rejects if the client goes away meanwhile. */
  async admit(route: AuthRoute, body: Record<string, unknown>, source: RequestSource, gone: AbortSignal): Promise<CountedAttempt> {
    const subjects = route.attemptsOf?.(body, source) ?? [];
    if (route.countsAccount !== true) return beginAttempt(identityCaller(), subjects);
    const email = emailOf(body);
    const device = await this.#knownDevice(source.cookies, email);
    const from = device === undefined ? { network: source.address } : { device };
    const attempt = await beginAttempt(identityCaller(), subjects, { email, from });
    try {
      await this.#slowed.wait(email, attempt.delayMs, gone);
    } catch (error) {
      // No password was checked.
      if (error instanceof AppError) await attempt.uncount();
      throw error;
    }
    return attempt;
  }

  async #knownDevice(cookies: string | undefined, email: string): Promise<string | undefined> {
    if (this.#devices.find(cookies, email) === undefined) return undefined;
    const account = await accountByEmail(email);
    return this.#devices.find(cookies, email, account?.devices_after ?? undefined);
  }

  /** Makes the device of a response that signs in a known one. */
  async remember(answered: Response, cookies: string | undefined): Promise<void> {
    const email = await signedInEmail(answered);
    if (email !== undefined) answered.headers.append('set-cookie', this.#devices.remember(cookies, email, new Date()));
  }
}

/** The email of the account that this response signs in, if any. */
async function signedInEmail(answered: Response): Promise<string | undefined> {
  const isSignedIn = answered.headers
    .getSetCookie()
    .some((cookie) => cookie.startsWith(`${sessionCookie}=`) && !/max-age=0\b/i.test(cookie));
  if (!isSignedIn || answered.status !== 200) return undefined;
  const { user } = (await answered.clone().json()) as { user?: { email?: string } };
  return user?.email;
}
