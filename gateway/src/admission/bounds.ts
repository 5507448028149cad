import type { ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '@webkiln/contract';
import { counter, FairSlots, type FairSlotsOptions, gauge, Pace } from '@webkiln/runtime';
import type { GatewayConfig } from '../config.ts';

/** How many requests of one credential may wait: more than a key's usual quota, which is so never refused for this. */
const maxWaitingPerCredential = 128;
const maxWaitingRequests = 10_000;
/** The writes per second, as a share of the request quota per window. */
const writesPerSecondShare = 1 / 30;
/** Callers below this burst are never delayed. */
const minWriteBurst = 20;

interface Options extends Omit<FairSlotsOptions, 'refusal' | 'ranks'> {
  /** Name of the bound in the metrics: "proxy sites". */
  readonly bound: string;
}

/**
 * Slots of requests, by client network or credential. A refusal is `too_many_in_flight` if the key has all that one key
 * may have, else `overloaded`.
 */
export class RequestSlots extends FairSlots {
  constructor({ bound, ...limits }: Options) {
    const refusal = (isOwnFault: boolean) => {
      const code = isOwnFault ? 'too_many_in_flight' : 'overloaded';
      countRefusal(bound, code);
      return new AppError(code);
    };
    super({ ...limits, refusal });
    observeSlots(bound, this);
  }
}

/** Slots of admitted requests, by credential, or by client network without one. */
export const requestSlots = (config: GatewayConfig) =>
  new RequestSlots({
    bound: 'api',
    slots: Number.POSITIVE_INFINITY,
    maxPerKey: config.CREDENTIAL_CONCURRENCY,
    maxWaitingPerKey: maxWaitingPerCredential,
    maxWaiting: maxWaitingRequests,
    maxWaitMs: config.QUEUE_TIMEOUT_MS,
  });

/** Slots of the streams of turns, by credential. Nothing waits for one: a stream may take minutes. */
export const streamSlots = (config: GatewayConfig) =>
  new RequestSlots({
    bound: 'streams of turns',
    slots: Number.POSITIVE_INFINITY,
    maxPerKey: config.CREDENTIAL_STREAMS,
    maxWaitingPerKey: 0,
    maxWaiting: 0,
    maxWaitMs: 1,
  });

interface HeldSlot {
  /** Resolves when the slot is held; undefined if it is held already. */
  readonly granted: Promise<void> | undefined;
  /** Gives the slot back before the response is closed. */
  readonly release: () => void;
}

/**
 * Takes a slot until the response is closed. Throws, or `granted` rejects with, `too_many_in_flight` or `overloaded`
 * without one, and `malformed_request` if the client disconnects meanwhile.
 */
export function holdSlot(slots: RequestSlots, key: string, response: ServerResponse): HeldSlot {
  if (response.destroyed) throw disconnected();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;
  const waiter = {
    start: resolve,
    refuse: (error: AppError) => {
      isOver = true;
      reject(error);
    },
  };
  const hasSlot = slots.acquire(key, waiter);
  const release = () => {
    if (slots.cancel(key, waiter)) reject(disconnected());
    else if (!isOver) slots.release(key);
    isOver = true;
  };
  response.once('close', release);
  return { granted: hasSlot ? undefined : promise, release };
}

const disconnected = () => new AppError('malformed_request', [], { cause: new Error('the client disconnected') });

/**
 * Spreads the writes of each organization, and of its clients who joined by a link: a thirtieth of the requests of a
 * window at once, then as many a second. A write takes many times the work of a read, and a minute's writes in a few
 * seconds would take all processors.
 */
export class WritePace {
  readonly #pace: Pace;

  constructor(maxWaitMs: number) {
    const refusal = () => {
      countRefusal('writes of an organization', 'too_many_in_flight');
      return new AppError('too_many_in_flight');
    };
    this.#pace = new Pace({ maxWaitMs, refusal });
  }

  /** Waits until those of the key may write, who may send `requests` in a window. Throws `too_many_in_flight`. */
  wait(key: string, requests: number): Promise<void> {
    const perSecond = requests * writesPerSecondShare;
    return this.#pace.wait(key, { perSecond, burst: Math.max(minWriteBurst, perSecond) });
  }
}

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
function observeSlots(bound: string, observed: ObservedSlots): void {
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
