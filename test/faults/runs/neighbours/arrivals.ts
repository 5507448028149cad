import { readdirSync } from 'node:fs';
import { eventually } from '../../../harness/agency.ts';
import { mailsTo } from '../../../harness/mails.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import type { Subscriber } from '../webhooks/subscriber.ts';

interface Options {
  readonly facts: PlatformFacts;
  readonly subscriber: Subscriber;
  /** Gets a mail about each form. */
  readonly formMailsTo: string;
}

/** What must come of a neighbour's requests: a webhook event and a mail of each. */
export class Arrivals {
  /** Addresses that were invited, and the messages of forms. */
  readonly #invited: string[] = [];
  readonly #messages: string[] = [];
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  expectInvitation(email: string): void {
    this.#invited.push(email);
  }

  expectForm(message: string): void {
    this.#messages.push(message);
  }

  get expected(): number {
    return this.#invited.length + this.#messages.length;
  }

  /** Resolves when everything has arrived; rejects with what is missing after `timeoutMs`. */
  async all(timeoutMs: number): Promise<void> {
    await eventually(() => {
      const webhooks = this.expected - this.events().length;
      const mails = this.expected - this.#mails();
      if (webhooks + mails > 0) throw new Error(`${webhooks} webhooks and ${mails} mails of ${this.expected} did not arrive`);
    }, timeoutMs);
  }

  /** The events of these requests that have arrived. */
  events() {
    const expected = new Set([...this.#invited, ...this.#messages]);
    return [...this.#options.subscriber.received.values()].filter(({ event }) => expected.has(subjectOf(event.data)));
  }

  #mails(): number {
    const { facts, formMailsTo } = this.#options;
    const names = new Set(readdirSync(facts.mailFolder).map((name) => name.slice(name.lastIndexOf('-') + 1)));
    const formMails = this.#messages.length === 0 ? [] : mailsTo(facts, formMailsTo);
    return (
      this.#invited.filter((email) => names.has(`${email}.eml`)).length +
      this.#messages.filter((message) => formMails.some((mail) => mail.includes(message))).length
    );
  }
}

/** The invited address or the message of the form that an event is about. */
function subjectOf(data: { client?: { email: string }; form?: { fields: { message?: string } } } | object): string {
  if ('client' in data && data.client) return data.client.email;
  return ('form' in data && data.form?.fields.message) || '';
}
