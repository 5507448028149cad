import { setTimeout as pause } from 'node:timers/promises';
import { AppError, sessionCookie } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { FairSlots } from '@webkiln/runtime';
import { knownDevicesAfter } from '../../accounts/account.ts';
import { accountByEmail } from '../../accounts/account-store.ts';
import type { HashTurn } from '../current-request.ts';
import { type AuthRoute, emailOf, type RequestSource } from '../http/auth-routes.ts';
import { type AttemptSubject, beginAttempt, type CountedAttempt } from './begin-attempt.ts';
import type { KnownDevices } from './known-devices.ts';

/** Strangers' attempts at one account are counted one after the other, so that few of an attack reach the database. */
const counting = { slots: Number.POSITIVE_INFINITY, maxPerKey: 1, maxWaitingPerKey: 32, maxWaiting: 1_024, maxWaitMs: 5_000 };

interface Admitted {
  readonly attempt: CountedAttempt;
  readonly turn: HashTurn;
}

/** Counts attempts, and holds back those on accounts that are attacked from elsewhere. */
export class AttemptGate {
  readonly #devices: KnownDevices;
  readonly #slowed = new SlowedAttempts();
  readonly #counting = new FairSlots({ ...counting, refusal: () => new AppError('overloaded') });

  constructor(devices: KnownDevices) {
    this.#devices = devices;
  }

  /**
   * Resolves when the attempt may be made. Throws `rate_limited` or `overloaded`; rejects if the client goes away
   * meanwhile.
   */
  async admit(route: AuthRoute, body: Record<string, unknown>, source: RequestSource, gone: AbortSignal): Promise<Admitted> {
    const subjects = route.attemptsOf?.(body, source) ?? [];
    if (route.countsAccount !== true) {
      // The library checks the session before the password.
      const rank = subjects.some(({ kind }) => kind === 'session') ? 'known' : 'stranger';
      return { attempt: await beginAttempt(serviceCaller('identity'), subjects), turn: { key: source.address, rank } };
    }
    const email = emailOf(body);
    const device = await this.#knownDevice(source.cookies, email);
    if (device === undefined) return this.#admitStranger(subjects, email, source.address, gone);
    const attempt = await beginAttempt(serviceCaller('identity'), subjects, { email, from: { device } });
    return { attempt, turn: { key: email, rank: 'known' } };
  }

  /** Attempts that would be refused after they are counted are refused before. */
  async #admitStranger(subjects: readonly AttemptSubject[], email: string, network: string, gone: AbortSignal): Promise<Admitted> {
    const { attempt, waited } = await this.#counting.run(email, async () => {
      this.#slowed.assertRoom(email);
      const counted = await beginAttempt(serviceCaller('identity'), subjects, { email, from: { network } });
      return { attempt: counted, waited: this.#wait(email, counted, gone) };
    });
    const error = await waited;
    if (error !== undefined) throw error;
    return { attempt, turn: { key: email, rank: attempt.delayMs > 0 ? 'slowed' : 'stranger' } };
  }

  /** Resolves when the attempt has waited, or to why it may not be made. */
  async #wait(email: string, attempt: CountedAttempt, gone: AbortSignal): Promise<unknown> {
    if (attempt.delayMs === 0) return undefined;
    try {
      await this.#slowed.wait(email, attempt.delayMs, gone);
      return undefined;
    } catch (error) {
      // No password was checked.
      if (error instanceof AppError) await attempt.uncount();
      return error;
    }
  }

  async #knownDevice(cookies: string | undefined, email: string): Promise<string | undefined> {
    if (this.#devices.find(cookies, email) === undefined) return undefined;
    const account = await accountByEmail(email);
    return this.#devices.find(cookies, email, account === null ? undefined : knownDevicesAfter(account));
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

/** Attempts that wait in one process, for one account and in all: few beside the gateway's connections to identity. */
const maxWaitingPerAccount = 8;
const maxWaiting = 48;

/** Answers slowed attempts late. One that waits holds a timer and its request, and nothing of the database. */
class SlowedAttempts {
  readonly #waiting = new Map<string, number>();
  #inAll = 0;

  /** Throws `rate_limited` if a slowed attempt at this account would be refused, and the account is being attacked. */
  assertRoom(email: string): void {
    if (this.#waiting.has(email)) this.#assertPlace(email);
  }

  /**
   * Takes a place at once. Resolves after `delayMs`. Throws `rate_limited` if too many attempts wait; rejects if the
   * client goes away.
   */
  async wait(email: string, delayMs: number, signal: AbortSignal): Promise<void> {
    this.#assertPlace(email);
    this.#waiting.set(email, (this.#waiting.get(email) ?? 0) + 1);
    this.#inAll++;
    try {
      await pause(delayMs, undefined, { signal });
    } finally {
      this.#inAll--;
      const left = (this.#waiting.get(email) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(email);
      else this.#waiting.set(email, left);
    }
  }

  #assertPlace(email: string): void {
    if ((this.#waiting.get(email) ?? 0) < maxWaitingPerAccount && this.#inAll < maxWaiting) return;
    const message =
      'Many attempts to sign in to this account failed elsewhere: try again in 10 minutes, or from a device that you used before';
    throw new AppError('rate_limited', [{ path: '', message }]);
  }
}
