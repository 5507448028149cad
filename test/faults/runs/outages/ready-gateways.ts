import { setTimeout as pause } from 'node:timers/promises';
import type { PlatformFacts } from '../../../harness/test-platform.ts';

const pollIntervalMs = 100;
/** An older readiness check is ignored: a gateway stops one second after it reports that it is not ready. */
const maxReadinessAgeMs = 400;

export interface LoadedPlatform {
  readonly facts: PlatformFacts;
  /** True if the gateway may be sent requests. */
  isReady(gateway: string): Promise<boolean>;
}

export interface Gateway {
  readonly name: string;
  readonly origin: string;
}

/** Chooses among the gateways that are ready, in turn, as a load balancer does. */
export class ReadyGateways implements AsyncDisposable {
  readonly all: readonly Gateway[];
  /** Start (monotonic, ms) of the last check that found the gateway ready. */
  readonly #readyAt = new Map<Gateway, number>();
  readonly #watching: Promise<unknown>;
  #next = 0;
  #finished = false;

  constructor(platform: LoadedPlatform) {
    this.all = platform.facts.origins.map((origin, at) => ({ name: at === 0 ? 'gateway' : `gateway-${at + 1}`, origin }));
    this.#watching = Promise.all(this.all.map((gateway) => this.#watch(platform, gateway)));
  }

  /** Undefined if none is ready. */
  next(isFree: (gateway: Gateway) => boolean = () => true): Gateway | undefined {
    const since = performance.now() - maxReadinessAgeMs;
    const ready = this.all.filter((gateway) => (this.#readyAt.get(gateway) ?? Number.NEGATIVE_INFINITY) > since && isFree(gateway));
    return ready[this.#next++ % ready.length];
  }

  async #watch(platform: LoadedPlatform, gateway: Gateway): Promise<void> {
    while (!this.#finished) {
      const checkedAt = performance.now();
      if (await platform.isReady(gateway.name)) this.#readyAt.set(gateway, checkedAt);
      else this.#readyAt.delete(gateway);
      await pause(pollIntervalMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finished = true;
    await this.#watching;
  }
}
