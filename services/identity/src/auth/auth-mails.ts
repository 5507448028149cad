import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Mailbox, Mailer } from '@webkiln/mail';
import { logger } from '@webkiln/runtime';
import { accountMail } from './account-mail.ts';

interface Message {
  subject: string;
  /** What it is about, in a sentence or two. */
  about: string;
  /** What to follow, where there is something. */
  link?: { label: string; url: string };
}

const tries = 5;
const pauseMs = 2000;

/** What people are told by mail of their own sign-in. Sent beside the request: how long it takes tells nobody whether there is an account. */
export class AuthMails {
  readonly #mailer: Mailer;
  readonly #from: Mailbox;
  readonly #origin: string;
  readonly #underWay = new Set<Promise<void>>();

  constructor({ mailer, from, origin }: { mailer: Mailer; from: Mailbox; origin: string }) {
    this.#mailer = mailer;
    this.#from = from;
    this.#origin = origin;
  }

  verifyAddress(email: string, url: string): void {
    const about =
      'Follow this link to confirm that this address is yours. It works for one hour. If you did not ask for it, ignore this mail.';
    this.#send(email, { subject: 'Confirm your email address', about, link: { label: 'Confirm the address', url } });
  }

  resetPassword(email: string, token: string): void {
    const about = 'Follow this link to choose a new password. It works once, for one hour. If you did not ask for it, ignore this mail.';
    const url = `${this.#origin}/reset-password?token=${encodeURIComponent(token)}`;
    this.#send(email, { subject: 'Choose a new password', about, link: { label: 'Choose a new password', url } });
  }

  signUpAgain(email: string): void {
    const about =
      'Somebody, perhaps you, tried to sign up with this address, which has an account already: sign in, or choose a new password.';
    this.#send(email, { subject: 'You have an account already', about, link: { label: 'Sign in', url: `${this.#origin}/sign-in` } });
  }

  confirmChange(email: string, newEmail: string, url: string): void {
    const about = `Follow this link to use ${newEmail} instead of this address from now on. If you did not ask for it, change your password.`;
    this.#send(email, { subject: 'Confirm the change of your email address', about, link: { label: 'Use the new address', url } });
  }

  passwordChanged(email: string): void {
    const about = 'The password of your account was changed. If that was not you, choose a new one at once.';
    this.#send(email, {
      subject: 'Your password was changed',
      about,
      link: { label: 'Choose a new password', url: `${this.#origin}/forgot-password` },
    });
  }

  /** Resolves when what is under way has been sent or given up. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #send(email: string, message: Message): void {
    const sending = this.#trySending(email, message).finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  /** Each can be asked for again, so that one is given up where the mail server stays away. */
  async #trySending(email: string, { subject, about, link }: Message): Promise<void> {
    const letter = { greeting: 'Hello,', paragraphs: [about], ...(link !== undefined && { link }) };
    const [messageId, date] = [`<${randomUUID()}@${this.#from.address.split('@')[1] ?? 'localhost'}>`, new Date()];
    for (let tried = 1; ; tried++) {
      try {
        const written = await accountMail(email, letter, { from: this.#from, origin: this.#origin });
        return await this.#mailer.send({ ...written, messageId, date, to: { name: email, address: email }, subject });
      } catch (error) {
        if (tried < tries) await pause(pauseMs * tried);
        else return void logger.error({ err: error, subject }, 'a mail was given up');
      }
    }
  }
}
