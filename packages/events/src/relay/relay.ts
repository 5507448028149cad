import { logger } from '@webkiln/runtime';
import { onOutboxWritten, type StoreModel, settleOutbox, waitingRecords } from '@webkiln/store';
import { type Bus, theBus } from './bus.ts';
import { publishWaiting } from './publish.ts';

const batchMost = 500;
const wokenMost = 10_000;
const sweepEveryMs = 1_000;

/**
 * Publishes the events that wait in the outboxes of these models: at once what this process writes, and every second what else there is
 * (after an outage, or left by a replica that died). Events of one record go in order, each after the acknowledgement of the one before.
 */
export function startRelay(models: readonly StoreModel[]): void {
  const bus = theBus();
  const relays = new Map(models.map((model) => [model, new Relay(bus, model)]));
  const running = [...relays.values()].map((relay) => relay.run());
  const unsubscribe = onOutboxWritten((model, recordId) => relays.get(model)?.wake(recordId));
  bus.beforeStop(async () => {
    unsubscribe();
    for (const relay of relays.values()) relay.hurry();
    await Promise.all(running);
  });
}

class Relay {
  readonly #bus: Bus;
  readonly #model: StoreModel;
  readonly #woken = new Set<string>();
  #sweepAt = 0;

  /** Ends the rest that the relay takes, if it does. */
  hurry = (): void => {};

  constructor(bus: Bus, model: StoreModel) {
    this.#bus = bus;
    this.#model = model;
  }

  /** What is too much to remember is found by the next sweep. */
  wake(recordId: string): void {
    if (this.#bus.connection === undefined || this.#woken.size >= wokenMost) return;
    this.#woken.add(recordId);
    this.hurry();
  }

  async run(): Promise<void> {
    while (!this.#bus.stopping.signal.aborted) {
      try {
        await this.#publishWoken();
        if (Date.now() >= this.#sweepAt) await this.#sweep();
      } catch (error) {
        logger.warn({ err: error, collection: this.#model.collection }, 'events wait in their outboxes');
        this.#woken.clear();
      }
      if (this.#woken.size === 0) await this.#rest(this.#sweepAt - Date.now());
    }
  }

  async #publishWoken(): Promise<void> {
    const ids = [...this.#woken].slice(0, batchMost);
    for (const id of ids) this.#woken.delete(id);
    if (ids.length > 0) await this.#publish(ids);
  }

  async #sweep(): Promise<void> {
    this.#sweepAt = Date.now() + sweepEveryMs;
    const more = await this.#publish();
    if (more) this.#sweepAt = 0;
  }

  /** True when there is more that could go out at once. */
  async #publish(ids?: readonly string[]): Promise<boolean> {
    const { connection } = this.#bus;
    if (connection === undefined) return false;
    const records = await waitingRecords(this.#model, batchMost, ids);
    if (records.length === 0) return false;
    const published = await publishWaiting(this.#bus, connection, records);
    await settleOutbox(this.#model, published);
    return records.length === batchMost && published.length === batchMost;
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(ms, 0));
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
