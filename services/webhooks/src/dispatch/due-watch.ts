import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import type { Owner } from '@webkiln/store';
import { endpointsDue, nextDue } from '../deliveries/delivery-store.ts';

const lookEveryMs = 1_000;
const awayRestMs = 1_000;

/** Looks into the store for due deliveries: when this process knows of one, and at least once a second for what others left. */
export class DueWatch {
  readonly #found: (endpoint: Owner) => void;
  readonly #stopping = new AbortController();
  #lookAt = 0;
  #hurry: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(found: (endpoint: Owner) => void) {
    this.#found = found;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** A delivery will be due then. */
  readonly dueAt = (time: Date): void => {
    if (time.getTime() >= this.#lookAt) return;
    this.#lookAt = time.getTime();
    this.#hurry();
  };

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#hurry();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        logger.warn({ err: error }, 'due deliveries wait');
        await pause(awayRestMs, undefined, { signal }).catch(() => undefined);
      }
      while (Date.now() < this.#lookAt && !signal.aborted) await this.#rest();
    }
  }

  /** Where nothing is due this is one look at the beginning of an index. */
  async #look(): Promise<void> {
    const now = new Date();
    this.#lookAt = now.getTime() + lookEveryMs;
    const first = await nextDue();
    if (first === null) return;
    if (first > now) {
      this.dueAt(first);
      return;
    }
    for (const endpoint of await endpointsDue(now)) this.#found(endpoint);
    const later = await nextDue(now);
    if (later !== null) this.dueAt(later);
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#lookAt - Date.now());
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
