import { AsyncLocalStorage } from 'node:async_hooks';
import { plainName } from '@webkiln/mail';
import type { AccountMail, AccountMailStore } from './account-mail-store.ts';

interface QueuedMail {
  readonly mail: AccountMail;
  /** True if only the recipient can have asked for it. */
  readonly isRecipients: boolean;
  /** How long the mail's link works. */
  readonly ttlMs: number;
}

interface Collecting {
  /** The network that the request came from. */
  readonly network: string;
  readonly alwaysWrite?: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const maxAgentsNamed = 10;

/** Agents choose their names themselves. */
function disconnectedSentence(agents: readonly string[]): string {
  const named = agents.slice(0, maxAgentsNamed).map(plainName);
  const others = agents.length - named.length;
  const all = [...named, ...(others > 0 ? [`${others} more`] : [])];
  const list = new Intl.ListFormat('en').format(all);
  return `It has disconnected the agents that acted for you: ${list}. Connect those again that you use.`;
}

/**
 * Mails about sign-in: queued while the library handles a request, stored before it is answered, sent by the event's
 * consumer.
 */
export class SignInMails {
  readonly #store: AccountMailStore;
  readonly #origin: string;
  readonly #queue = new AsyncLocalStorage<QueuedMail[]>();

  constructor({ store, origin }: { store: AccountMailStore; origin: string }) {
    this.#store = store;
    this.#origin = origin;
  }

  /**
   * Runs `work` and resolves when the mails that it queued are stored. With `alwaysWrite` a request without a mail
   * costs the same write, so that response times do not reveal which accounts exist.
   */
  async collect<T>(work: () => Promise<T>, { network, alwaysWrite = false }: Collecting): Promise<T> {
    const queue: QueuedMail[] = [];
    const result = await this.#queue.run(queue, work);
    for (const { mail, isRecipients, ttlMs } of queue) {
      await this.#store.save({ ...mail, network: isRecipients ? undefined : network }, ttlMs);
    }
    if (queue.length === 0 && alwaysWrite) await this.#store.save(null, minuteMs);
    return result;
  }

  /** The link signs in, so it leads to a page with a button: scanners of mails open links. `next` opens afterwards. */
  confirmEmail(email: string, token: string, next: string): void {
    const about =
      'Follow this link to confirm that this address is yours, and to sign in. It works once, for one hour. If you did not ask for it, ignore this mail.';
    const url = `${this.#origin}/confirm-email?${new URLSearchParams({ token, ...(next !== '/' && { next }) })}`;
    this.#enqueue({ purpose: 'verify', email, subject: 'Confirm your email address', about, link: { label: 'Confirm and sign in', url } });
  }

  /** The second link of a change of address, to the new one. */
  verifyAddress(email: string, url: string): void {
    const about =
      'Follow this link to confirm that this address is yours. It works for one hour. If you did not ask for it, ignore this mail.';
    this.#enqueue({ purpose: 'verify', email, subject: 'Confirm your email address', about, link: { label: 'Confirm the address', url } });
  }

  resetPassword(email: string, token: string): void {
    const about = 'Follow this link to choose a new password. It works once, for one hour. If you did not ask for it, ignore this mail.';
    const url = `${this.#origin}/reset-password?token=${encodeURIComponent(token)}`;
    this.#enqueue({ purpose: 'reset', email, subject: 'Choose a new password', about, link: { label: 'Choose a new password', url } });
  }

  signUpAgain(email: string): void {
    const about =
      'Somebody, perhaps you, tried to sign up with this address, which has an account already: sign in, or choose a new password.';
    this.#enqueue(
      {
        purpose: 'sign-up',
        email,
        subject: 'You have an account already',
        about,
        link: { label: 'Sign in', url: `${this.#origin}/sign-in` },
      },
      { ttlMs: dayMs },
    );
  }

  confirmChange(email: string, newEmail: string, url: string): void {
    const about = `Follow this link to use ${newEmail} instead of this address from now on. If you did not ask for it, change your password.`;
    this.#enqueue(
      { purpose: 'change', email, subject: 'Confirm the change of your email address', about, link: { label: 'Use the new address', url } },
      { isRecipients: true },
    );
  }

  /** Names the agents that it has disconnected. */
  passwordChanged(email: string, agents: readonly string[] = []): void {
    const changed = 'The password of your account was changed. If that was not you, choose a new one at once.';
    const about = agents.length === 0 ? changed : `${changed} ${disconnectedSentence(agents)}`;
    const link = { label: 'Choose a new password', url: `${this.#origin}/forgot-password` };
    this.#enqueue({ purpose: 'notice', email, subject: 'Your password was changed', about, link }, { isRecipients: true, ttlMs: dayMs });
  }

  #enqueue(mail: AccountMail, { isRecipients = false, ttlMs = hourMs }: Partial<Omit<QueuedMail, 'mail'>> = {}): void {
    const queue = this.#queue.getStore();
    if (queue === undefined) throw new TypeError('mail queued outside of collect()');
    queue.push({ mail, isRecipients, ttlMs });
  }
}
