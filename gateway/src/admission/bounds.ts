import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@webkiln/contract';
import { counter, gauge } from '@webkiln/runtime';

interface ObservedSlots {
  readonly inFlight: number;
  readonly waiting: number;
}

const slots = new Map<string, ObservedSlots>();
const refused = counter({
  name: 'webkiln_gateway_refused_total',
  help: 'Requests and connections that a bound refused or cut, by bound and error code',
  labelNames: ['bound', 'code'],
});
gauge({
  name: 'webkiln_gateway_in_flight',
  help: 'Requests that hold a slot, by bound',
  labelNames: ['bound'],
  collect() {
    for (const [bound, { inFlight }] of slots) this.set({ bound }, inFlight);
  },
});
gauge({
  name: 'webkiln_gateway_waiting',
  help: 'Requests that wait for a slot, by bound',
  labelNames: ['bound'],
  collect() {
    for (const [bound, { waiting }] of slots) this.set({ bound }, waiting);
  },
});

/** Shows the slots of a bound in the metrics from now on. */
export function observeSlots(bound: string, observed: ObservedSlots): void {
  slots.set(bound, observed);
}

export const countRefusal = (bound: string, code: ErrorCode): void => refused.inc({ bound, code });

/** Counts what each key holds, such as the connections of a network. A key at zero takes no memory. */
export class KeyedCount {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Keys that hold something. */
  get keys(): number {
    return this.#counts.size;
  }

  /** False, and nothing is counted, beyond the maximum. A key that holds nothing may always begin. */
  add(key: string, amount: number): boolean {
    const held = this.#counts.get(key) ?? 0;
    if (held > 0 && held + amount > this.#max) return false;
    this.#counts.set(key, held + amount);
    return true;
  }

  remove(key: string, amount: number): void {
    const left = (this.#counts.get(key) ?? 0) - amount;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

interface UnsentOptions {
  readonly maxPerCredential: number;
  readonly maxPerNetwork: number;
}

/** Smaller responses are bounded by their number. */
const minCountedBytes = 16 * 1024;

/** Bounds the response bytes that wait for their clients to read them, per credential and per client network. */
export class UnsentBytes {
  readonly #credentials: KeyedCount;
  readonly #networks: KeyedCount;

  constructor({ maxPerCredential, maxPerNetwork }: UnsentOptions) {
    this.#credentials = new KeyedCount(maxPerCredential);
    this.#networks = new KeyedCount(maxPerNetwork);
  }

  /** Counts a response's bytes until it is closed. False, and nothing is counted, if they are too many. */
  add(response: ServerResponse, bytes: number, credential: string, network: () => string): boolean {
    if (bytes < minCountedBytes) return true;
    const from = network();
    const isAdded = this.#credentials.add(credential, bytes);
    if (!isAdded || !this.#networks.add(from, bytes)) {
      if (isAdded) this.#credentials.remove(credential, bytes);
      countRefusal('unsent bytes', 'too_many_unread');
      return false;
    }
    response.once('close', () => {
      this.#credentials.remove(credential, bytes);
      this.#networks.remove(from, bytes);
    });
    return true;
  }
}
