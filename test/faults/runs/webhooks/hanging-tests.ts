import { randomUUID } from 'node:crypto';
import { type Agency, eventually } from '../../harness/agency.ts';
import { Audience } from './audience.ts';
import type { Subscriber } from './subscriber.ts';

const underWayWithinMs = 120_000;

/** Calls of POST /webhooks/{webhookId}/test for a webhook that never answers: each is in hand until its time is up. */
export class SilentTests implements AsyncDisposable {
  readonly #audience: Audience;
  readonly #subscriber: Subscriber;
  readonly #calls: Promise<unknown>[] = [];

  private constructor(audience: Audience, subscriber: Subscriber) {
    this.#audience = audience;
    this.#subscriber = subscriber;
  }

  static async start(owner: Agency): Promise<SilentTests> {
    const audience = await Audience.start(() => undefined);
    return new SilentTests(audience, await audience.subscribe(owner, ['form.submitted']));
  }

  /** Resolves when so many more are under way. */
  async callAtOnce(count: number): Promise<void> {
    const { agency, webhookId, heard } = this.#subscriber;
    const wanted = heard.size + count;
    // What comes of them is not the question: they may be cut off.
    const call = () => agency.api.post(`/webhooks/${webhookId}/test`, {}, { 'idempotency-key': randomUUID() }).catch(() => undefined);
    this.#calls.push(...Array.from({ length: count }, call));
    await eventually(() => {
      if (heard.size < wanted) throw new Error(`${wanted - heard.size} of ${count} tests are not under way yet`);
    }, underWayWithinMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#calls);
    await this.#audience[Symbol.asyncDispose]();
  }
}
