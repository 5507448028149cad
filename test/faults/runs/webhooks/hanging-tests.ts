import { randomUUID } from 'node:crypto';
import { type Agency, eventually } from '../../../harness/agency.ts';
import { ReceiverServer } from './receiver.ts';
import type { Subscriber } from './subscriber.ts';

const inFlightTimeoutMs = 120_000;

/** Calls of POST /webhooks/{webhookId}/test for a webhook that never answers. Each is in flight until it times out. */
export class HangingTests implements AsyncDisposable {
  readonly #receivers: ReceiverServer;
  readonly #subscriber: Subscriber;
  readonly #calls: Promise<unknown>[] = [];

  private constructor(receivers: ReceiverServer, subscriber: Subscriber) {
    this.#receivers = receivers;
    this.#subscriber = subscriber;
  }

  static async start(owner: Agency): Promise<HangingTests> {
    const receivers = await ReceiverServer.start(() => undefined);
    return new HangingTests(receivers, await receivers.subscribe(owner, ['form.submitted']));
  }

  /** Starts `count` calls and resolves when all of them are in flight. */
  async startCalls(count: number): Promise<void> {
    const { agency, webhookId, received } = this.#subscriber;
    const wanted = received.size + count;
    // The result does not matter: a stop may cut these calls off.
    const call = () => agency.api.post(`/webhooks/${webhookId}/test`, {}, { 'idempotency-key': randomUUID() }).catch(() => undefined);
    this.#calls.push(...Array.from({ length: count }, call));
    await eventually(() => {
      if (received.size < wanted) throw new Error(`${wanted - received.size} of ${count} tests are not in flight yet`);
    }, inFlightTimeoutMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#calls);
    await this.#receivers[Symbol.asyncDispose]();
  }
}
