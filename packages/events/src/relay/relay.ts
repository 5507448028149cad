import { type EventType, quotas } from '@webkiln/messages';
import { batched, logger, PollTimer, type Run, repeat } from '@webkiln/runtime';
import {
  onEventModel,
  onOutboxWritten,
  type PublishedEvents,
  type StoreModel,
  settleOutbox,
  type WaitingRecord,
  waitingModels,
  waitingRecords,
} from '@webkiln/store';
import { type Bus, theBus } from '../bus.ts';
import { EventBudget, type EventsPerMinute } from './event-budget.ts';
import { type Outcome, publishWaiting } from './publish.ts';

const maxBatchSize = 500;
const maxWoken = 10_000;
const sweepIntervalMs = 1_000;
const lookIntervalMs = 1_000;
/** The pause after looks that find nothing. */
const longestLookIntervalMs = 5_000;
/** Published events leave their records together: each write costs MongoDB the same for one record and for many. */
const settleAfterMs = 100;
const atOnce = new Date(0);

/**
 * Publishes the waiting events of every model that raises events. Events that this process writes are published
 * immediately. A look every one to five seconds, at all collections at once, finds the others, after an outage or from
 * a replica that died; then the collections that have some are swept. Events of one record are published in the order
 * of each stream, each after the acknowledgement of its predecessor. What an organization raises beyond `perMinute`,
 * by default the platform's, waits, and comes after others' events.
 */
export function startRelay(perMinute: EventsPerMinute = async () => quotas.events.limit): void {
  const bus = theBus();
  const budget = new EventBudget(perMinute);
  const relays = new Map<StoreModel, Relay>();
  const running: Promise<void>[] = [];
  const unregister = onEventModel((model) => {
    const relay = new Relay(bus, budget, model);
    relays.set(model, relay);
    running.push(relay.run());
  });
  running.push(new Lookout(bus, budget, relays).run());
  const unsubscribe = onOutboxWritten((model, recordId, inserted) => relays.get(model)?.wake(recordId, inserted));
  bus.beforeStop(async () => {
    unregister();
    unsubscribe();
    await Promise.all(running);
  });
}

/** Looks which collections have waiting events, and has those swept. */
class Lookout {
  readonly #bus: Bus;
  readonly #budget: EventBudget;
  readonly #relays: ReadonlyMap<StoreModel, Relay>;
  readonly #timer = new PollTimer();
  #intervalMs = lookIntervalMs;

  constructor(bus: Bus, budget: EventBudget, relays: ReadonlyMap<StoreModel, Relay>) {
    this.#bus = bus;
    this.#budget = budget;
    this.#relays = relays;
  }

  run(): Promise<void> {
    const onFailure = (error: unknown) => logger.warn({ err: error }, 'looking for waiting events failed; looking again');
    return repeat(() => this.#look(), {
      worker: 'look for waiting events',
      signal: this.#bus.stopping.signal,
      timer: this.#timer,
      onFailure,
    });
  }

  async #look(): Promise<void> {
    const pausedMs = this.#intervalMs;
    this.#intervalMs = lookIntervalMs;
    // Also the time of the next look, should this one fail.
    this.#timer.restart(Date.now() + lookIntervalMs);
    this.#budget.forgetFull();
    if (this.#bus.connection === undefined) return;
    const waiting = await waitingModels([...this.#relays.keys()]);
    for (const model of waiting) this.#relays.get(model)?.sweep();
    if (waiting.length === 0) this.#intervalMs = Math.min(pausedMs * 2, longestLookIntervalMs);
    this.#timer.restart(Date.now() + this.#intervalMs);
  }
}

class Relay {
  readonly #bus: Bus;
  readonly #budget: EventBudget;
  readonly #model: StoreModel;
  /** The rest of this sweep leaves out organizations without budget, and types whose streams refuse events. */
  readonly #organizations = new Set<string>();
  readonly #types = new Set<EventType>();
  /** Records that this process wrote, as they are if it inserted them: those need not be read. */
  readonly #woken = new Map<string, WaitingRecord | undefined>();
  readonly #timer = new PollTimer();
  /** Epoch milliseconds; never, while nothing is known to wait. */
  #sweepAt = Number.POSITIVE_INFINITY;
  /** The ids of events that the stream has, and their records still have, too. */
  readonly #unsettled = new Set<string>();
  readonly #settling = new Set<Promise<void>>();
  readonly #settle: (events: PublishedEvents) => Promise<void>;

  constructor(bus: Bus, budget: EventBudget, model: StoreModel) {
    this.#bus = bus;
    this.#budget = budget;
    this.#model = model;
    const settle = async (published: readonly PublishedEvents[]) => {
      await settleOutbox(model, published);
      return published.map(() => undefined);
    };
    this.#settle = batched(settle, { lingerMs: settleAfterMs });
  }

  /** Publishes whatever waits in the collection. */
  sweep(): void {
    if (this.#sweepAt !== Number.POSITIVE_INFINITY) return;
    this.#sweepAt = 0;
    this.#timer.pollBy(atOnce);
  }

  /** Beyond the limit, the next sweep finds the record. A record that was changed since it was inserted is read. */
  wake(recordId: string, inserted?: WaitingRecord): void {
    if (this.#bus.connection === undefined || this.#woken.size >= maxWoken) return;
    this.#woken.set(recordId, this.#woken.size < maxBatchSize && !this.#woken.has(recordId) ? inserted : undefined);
    this.#timer.pollBy(atOnce);
  }

  run(): Promise<void> {
    const onFailure = (error: unknown) => {
      logger.warn({ err: error, collection: this.#model.collection }, 'publishing from the outboxes failed; trying again');
      this.#woken.clear();
      this.#sweepAt = Math.min(this.#sweepAt, Date.now() + sweepIntervalMs);
      this.#timer.restart(this.#sweepAt);
    };
    const worker = `relay of ${this.#model.collection}`;
    const running = repeat((run) => this.#publishDue(run), { worker, signal: this.#bus.stopping.signal, timer: this.#timer, onFailure });
    return running.then(async () => void (await Promise.all(this.#settling)));
  }

  async #publishDue(run: Run): Promise<void> {
    await this.#publishWoken(run);
    if (Date.now() >= this.#sweepAt) await this.#sweep(run);
    if (this.#woken.size === 0) this.#timer.restart(this.#sweepAt);
  }

  async #publishWoken(run: Run): Promise<void> {
    const woken = [...this.#woken].slice(0, maxBatchSize);
    for (const [id] of woken) this.#woken.delete(id);
    const inserted = woken.flatMap(([, record]) => record ?? []);
    const changed = woken.flatMap(([id, record]) => (record === undefined ? id : []));
    const read = changed.length > 0 ? await this.#waiting(changed) : [];
    const outcome = await this.#publish(run, [...inserted, ...read]);
    for (const events of outcome?.published ?? []) this.#settleSoon(events);
  }

  /** Whatever fails or is left when the process dies is swept: the stream refuses what it has. */
  #settleSoon(events: PublishedEvents): void {
    for (const id of events.ids) this.#unsettled.add(id);
    const settling = this.#settle(events)
      .catch((error: unknown) => {
        logger.warn({ err: error, collection: this.#model.collection }, 'removing published events failed; sweeping');
        this.sweep();
      })
      .finally(() => {
        for (const id of events.ids) this.#unsettled.delete(id);
        this.#settling.delete(settling);
      });
    this.#settling.add(settling);
  }

  /**
   * Goes on at once after a full batch, past the records that have to wait: others' events may be behind them. An
   * organization that has to wait does so until the next sweep, or it would be read again for each single event.
   */
  async #sweep(run: Run): Promise<void> {
    // Also the time of the next attempt, should this one fail.
    this.#sweepAt = Date.now() + sweepIntervalMs;
    const skippedBefore = this.#organizations.size + this.#types.size;
    const records = await this.#waiting();
    for (const { _id } of records) if (this.#woken.get(_id) !== undefined) this.#woken.delete(_id);
    const outcome = await this.#publish(run, records);
    // The next sweep must not read them again.
    await settleOutbox(this.#model, outcome?.published ?? []);
    this.#sweepAt = outcome === undefined ? Number.POSITIVE_INFINITY : Date.now() + sweepIntervalMs;
    for (const org_id of outcome?.paced ?? []) this.#organizations.add(org_id);
    for (const type of outcome?.refused ?? []) this.#types.add(type);
    const canGoOn = outcome?.published.length === maxBatchSize || this.#organizations.size + this.#types.size > skippedBefore;
    if (records.length === maxBatchSize && canGoOn) this.#sweepAt = 0;
    else {
      this.#organizations.clear();
      this.#types.clear();
    }
  }

  /** The given records, or those that wait longest. None without a connection. */
  async #waiting(ids?: readonly string[]): Promise<readonly WaitingRecord[]> {
    if (this.#bus.connection === undefined) return [];
    const skipped = { organizations: [...this.#organizations], types: [...this.#types] };
    return waitingRecords(this.#model, maxBatchSize, ids, skipped);
  }

  /** Undefined if there is nothing to publish, or no connection. */
  async #publish({ progress }: Run, records: readonly WaitingRecord[]): Promise<Outcome | undefined> {
    const { connection } = this.#bus;
    if (connection === undefined || records.length === 0) return undefined;
    progress();
    return publishWaiting({ bus: this.#bus, connection, budget: this.#budget, published: this.#unsettled }, records, progress);
  }
}
