import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { FairSlots, type FairSlotsOptions, Pace } from '@webkiln/runtime';
import type { GatewayConfig } from '../config.ts';
import { countRefusal, observeSlots } from './bounds.ts';

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
