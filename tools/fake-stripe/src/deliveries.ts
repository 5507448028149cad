import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import type { Delivery, DeliveryOptions } from './controls.ts';

/** Stripe retries for days, with growing delays; here they are short. */
const retryDelaysMs = [50, 100, 200, 400, 800, ...Array.from({ length: 25 }, () => 1000)];
const timeoutMs = 10_000;

/** Delivers events to the webhook endpoint. */
export class Deliveries {
  url: string | null;
  readonly #secret: string;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #stopped = new AbortController();
  #held: Stripe.Event[] | undefined;

  constructor(url: string | null, secret: string) {
    this.url = url;
    this.#secret = secret;
  }

  /** Takes a new event, which is delivered at once unless events are held. */
  accept(event: Stripe.Event): void {
    if (this.#held === undefined && this.url === null) return;
    event.pending_webhooks = 1;
    if (this.#held !== undefined) this.#held.push(event);
    else this.#track(this.#deliverWithRetries(event));
  }

  hold(): void {
    this.#held ??= [];
  }

  drop(): void {
    this.#held = undefined;
  }

  async release({ times = 1, shuffleSeed, only }: DeliveryOptions): Promise<Delivery[]> {
    const held = this.#held ?? [];
    const events = held.filter(({ type }) => only?.includes(type) ?? true);
    this.#held = only === undefined ? undefined : held.filter((event) => !events.includes(event));
    const statuses = new Map(events.map(({ id }) => [id, [] as number[]]));
    const queue = Array.from({ length: times }, () => events).flat();
    for (const event of shuffleSeed === undefined ? queue : shuffled(queue, shuffleSeed))
      statuses.get(event.id)?.push(await this.#post(event));
    return events.map(({ id, type }) => ({ id, type, statuses: statuses.get(id) ?? [] }));
  }

  async resend(event: Stripe.Event): Promise<Delivery> {
    return { id: event.id, type: event.type, statuses: [await this.#post(event)] };
  }

  /** Resolves once no delivery or retry is in flight, those that begin meanwhile included. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.settle();
  }

  /** The header of a body as Stripe signs it: HMAC-SHA256 of the time and the body. */
  sign(body: string, secret = this.#secret, atMs = Date.now()): string {
    const at = Math.floor(atMs / 1000);
    return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
  }

  #track(work: Promise<unknown>): void {
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  async #deliverWithRetries(event: Stripe.Event): Promise<void> {
    for (const delayMs of [...retryDelaysMs, 0]) {
      if (this.url === null || isDelivered(await this.#post(event))) return;
      const isStopped = await sleep(delayMs, false, { signal: this.#stopped.signal }).catch(() => true);
      if (isStopped) return;
    }
  }

  /** The status of the answer; 0 if there is none. */
  async #post(event: Stripe.Event): Promise<number> {
    if (this.url === null) throw new Error('there is no URL to send events to');
    const body = eventBody({ ...event, pending_webhooks: 1 });
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(timeoutMs)]);
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Stripe-Signature': this.sign(body),
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    };
    try {
      const response = await fetch(this.url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await response.arrayBuffer();
      if (isDelivered(response.status)) event.pending_webhooks = 0;
      return response.status;
    } catch {
      return 0;
    }
  }
}

/** Stripe's bodies are indented: a receiver that signs its own serialization fails. */
export const eventBody = (event: unknown): string => JSON.stringify(event, null, 2);

const isDelivered = (status: number): boolean => status >= 200 && status < 300;

/** A Fisher-Yates shuffle by a linear congruential generator, so that a seed always gives the same order. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const result = [...items];
  let random = seed >>> 0;
  for (let at = result.length - 1; at > 0; at -= 1) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((random / 2 ** 32) * (at + 1));
    [result[at], result[other]] = [result[other] as Item, result[at] as Item];
  }
  return result;
}
