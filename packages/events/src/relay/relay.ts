import { logger, PollTimer, repeat } from '@webkiln/runtime';
import { onEventModel, onOutboxWritten, type StoreModel, settleOutbox, waitingRecords } from '@webkiln/store';
import { type Bus, theBus } from '../bus.ts';
import { keepStreams } from '../upkeep/keep-streams.ts';
import { publishWaiting } from './publish.ts';

const maxBatchSize = 500;
const maxWoken = 10_000;
const sweepIntervalMs = 1_000;
const atOnce = new Date(0);

/**
 * Publishes the waiting events of every model that raises events. Events that this process writes are published
 * immediately. A sweep every second finds the others, after an outage or from a replica that died. Events of one record
 * are published in the order of each stream, each after the acknowledgement of its predecessor. Also looks after the
 * streams: see `keepStreams`.
 */
export function startRelay(): void {
  const bus = theBus();
  const relays = new Map<StoreModel, Relay>();
  const running: Promise<void>[] = [];
  const unregister = onEventModel((model) => {
    const relay = new Relay(bus, model);
    relays.set(model, relay);
    running.push(relay.run());
  });
  keepStreams(bus);
  const unsubscribe = onOutboxWritten((model, recordId) => relays.get(model)?.wake(recordId));
  bus.beforeStop(async () => {
    unregister();
    unsubscribe();
    await Promise.all(running);
  });
}

class Relay {
  readonly #bus: Bus;
  readonly #model: StoreModel;
  readonly #woken = new Set<string>();
  readonly #timer = new PollTimer();
  #sweepAt = 0;

  constructor(bus: Bus, model: StoreModel) {
    this.#bus = bus;
    this.#model = model;
  }

  /** Beyond the limit, the next sweep finds the record. */
  wake(recordId: string): void {
    if (this.#bus.connection === undefined || this.#woken.size >= maxWoken) return;
    this.#woken.add(recordId);
    this.#timer.pollBy(atOnce);
  }

  run(): Promise<void> {
    const onFailure = (error: unknown) => {
      logger.warn({ err: error, collection: this.#model.collection }, 'publishing from the outboxes failed; trying again');
      this.#woken.clear();
      this.#timer.restart(this.#sweepAt);
    };
    return repeat(() => this.#publishDue(), { signal: this.#bus.stopping.signal, timer: this.#timer, onFailure });
  }

  async #publishDue(): Promise<void> {
    await this.#publishWoken();
    if (Date.now() >= this.#sweepAt) await this.#sweep();
    if (this.#woken.size === 0) this.#timer.restart(this.#sweepAt);
  }

  async #publishWoken(): Promise<void> {
    const ids = [...this.#woken].slice(0, maxBatchSize);
    for (const id of ids) this.#woken.delete(id);
    if (ids.length > 0) await this.#publish(ids);
  }

  async #sweep(): Promise<void> {
    this.#sweepAt = Date.now() + sweepIntervalMs;
    const more = await this.#publish();
    if (more) this.#sweepAt = 0;
  }

  /** True if more events can be published at once. */
  async #publish(ids?: readonly string[]): Promise<boolean> {
    const { connection } = this.#bus;
    if (connection === undefined) return false;
    const records = await waitingRecords(this.#model, maxBatchSize, ids);
    if (records.length === 0) return false;
    const published = await publishWaiting(this.#bus, connection, records);
    await settleOutbox(this.#model, published);
    return records.length === maxBatchSize && published.length === maxBatchSize;
  }
}
