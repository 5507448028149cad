import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultLanguage, type Language } from '@webkiln/contract';
import { plainName } from '@webkiln/mail';
import type { MailsTexts } from '../../gen/texts.ts';
import { currentRequest } from '../sign-in/current-request.ts';
import { texts } from '../texts.ts';
import type { AccountMail, AccountMailStore } from './account-mail-store.ts';

/** The person of an account; without a language of its own, that of the request counts. */
interface Recipient {
  readonly email: string;
  readonly language?: Language | null;
}

interface Words {
  readonly subject: string;
  readonly text: string;
  readonly button: string;
  readonly url: string;
}

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
function disconnectedSentence(t: MailsTexts['passwordChanged'], agents: readonly string[]): string {
  const named = agents.slice(0, maxAgentsNamed).map(plainName);
  const count = agents.length - named.length;
  return t.agents({ agents: [...named, ...(count > 0 ? [t.others({ count })] : [])] });
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
  confirmEmail(to: Recipient, token: string, next: string): void {
    const url = `${this.#origin}/confirm-email?${new URLSearchParams({ token, ...(next !== '/' && { next }) })}`;
    this.#enqueue('verify', to, (texts) => ({ ...texts.confirmEmail, url }));
  }

  /** The second link of a change of address, to the new one. */
  verifyAddress(to: Recipient, url: string): void {
    this.#enqueue('verify', to, (texts) => ({ ...texts.verifyAddress, url }));
  }

  resetPassword(to: Recipient, token: string): void {
    const url = `${this.#origin}/reset-password?token=${encodeURIComponent(token)}`;
    this.#enqueue('reset', to, (texts) => ({ ...texts.resetPassword, url }));
  }

  signUpAgain(to: Recipient): void {
    this.#enqueue('sign-up', to, (texts) => ({ ...texts.signUpAgain, url: `${this.#origin}/sign-in` }), { ttlMs: dayMs });
  }

  confirmChange(to: Recipient, address: string, url: string): void {
    const words = (texts: MailsTexts) => ({ ...texts.confirmChange, text: texts.confirmChange.text({ address }), url });
    this.#enqueue('change', to, words, { isRecipients: true });
  }

  /** Names the agents that it has disconnected. */
  passwordChanged(to: Recipient, agents: readonly string[] = []): void {
    const words = (texts: MailsTexts) => {
      const t = texts.passwordChanged;
      const text = agents.length === 0 ? t.text : `${t.text} ${disconnectedSentence(t, agents)}`;
      return { ...t, text, url: `${this.#origin}/forgot-password` };
    };
    this.#enqueue('notice', to, words, { isRecipients: true, ttlMs: dayMs });
  }

  #enqueue(
    purpose: AccountMail['purpose'],
    { email, language = null }: Recipient,
    wordsIn: (texts: MailsTexts) => Words,
    { isRecipients = false, ttlMs = hourMs }: Partial<Pick<QueuedMail, 'isRecipients' | 'ttlMs'>> = {},
  ): void {
    const queue = this.#queue.getStore();
    if (queue === undefined) throw new TypeError('mail queued outside of collect()');
    const known = language ?? currentRequest.getStore()?.language ?? defaultLanguage;
    const { subject, text, button, url } = wordsIn(texts[known]);
    queue.push({ mail: { purpose, email, language: known, subject, about: text, link: { label: button, url } }, isRecipients, ttlMs });
  }
}
