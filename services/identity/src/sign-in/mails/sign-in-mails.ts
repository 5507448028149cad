import { AsyncLocalStorage } from 'node:async_hooks';
import type { AccountMail, KeptMails } from './account-mail-store.ts';

interface Note {
  readonly mail: AccountMail;
  readonly forMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What people are told by mail of their own sign-in: noted while the sign-in library works, kept before it is answered, sent upon the event. */
export class AuthMails {
  readonly #kept: KeptMails;
  readonly #origin: string;
  readonly #notes = new AsyncLocalStorage<Note[]>();

  constructor({ kept, origin }: { kept: KeptMails; origin: string }) {
    this.#kept = kept;
    this.#origin = origin;
  }

  /**
   * Runs what may have something to mail, and resolves when that is kept. Where `alike`, a mail that is not sent costs the same write: how long it
   * takes tells nobody whether there is an account.
   */
  async keeping<T>(work: () => Promise<T>, alike: boolean): Promise<T> {
    const notes: Note[] = [];
    const done = await this.#notes.run(notes, work);
    for (const { mail, forMs } of notes) await this.#kept.keep(mail, forMs);
    if (notes.length === 0 && alike) await this.#kept.keep(null, minuteMs);
    return done;
  }

  verifyAddress(email: string, url: string): void {
    const about =
      'Follow this link to confirm that this address is yours. It works for one hour. If you did not ask for it, ignore this mail.';
    this.#note({ email, subject: 'Confirm your email address', about, link: { label: 'Confirm the address', url } });
  }

  resetPassword(email: string, token: string): void {
    const about = 'Follow this link to choose a new password. It works once, for one hour. If you did not ask for it, ignore this mail.';
    const url = `${this.#origin}/reset-password?token=${encodeURIComponent(token)}`;
    this.#note({ email, subject: 'Choose a new password', about, link: { label: 'Choose a new password', url } });
  }

  signUpAgain(email: string): void {
    const about =
      'Somebody, perhaps you, tried to sign up with this address, which has an account already: sign in, or choose a new password.';
    this.#note({ email, subject: 'You have an account already', about, link: { label: 'Sign in', url: `${this.#origin}/sign-in` } }, dayMs);
  }

  confirmChange(email: string, newEmail: string, url: string): void {
    const about = `Follow this link to use ${newEmail} instead of this address from now on. If you did not ask for it, change your password.`;
    this.#note({ email, subject: 'Confirm the change of your email address', about, link: { label: 'Use the new address', url } });
  }

  passwordChanged(email: string): void {
    const about = 'The password of your account was changed. If that was not you, choose a new one at once.';
    const link = { label: 'Choose a new password', url: `${this.#origin}/forgot-password` };
    this.#note({ email, subject: 'Your password was changed', about, link }, dayMs);
  }

  /** A mail is worth sending for as long as its link works. */
  #note(mail: AccountMail, forMs = hourMs): void {
    const notes = this.#notes.getStore();
    if (notes === undefined) throw new TypeError('a mail that nobody keeps');
    notes.push({ mail, forMs });
  }
}
