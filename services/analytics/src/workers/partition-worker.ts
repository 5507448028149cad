import { becomeDeadLetter } from '@webkiln/events';
import type { Bus } from '@webkiln/events/streams';
import { counter, gauge, logger, type Run, repeat, retry } from '@webkiln/runtime';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { minuteMs } from '../views/view.ts';
import { type ViewsStream, viewsConsumer } from '../views/views-stream.ts';
import { Deduplicator, purgeCountedViews, WindowOffsets, windowMs } from './deduplicator.ts';
import type { Fold, PositionedView } from './fold.ts';
import { assignPartition } from './partition.ts';
import { findPartitions, savePosition } from './partition-store.ts';
import { PartitionReader, type ReadMessage } from './reader.ts';

const batch = { batchWaitMs: 300, maxViews: 5_000 };
const retryDelayMs = 500;

interface WorkerDependencies {
  readonly bus: Bus;
  readonly stream: ViewsStream;
  readonly partitions: number;
  readonly fold: Fold;
  /** The id of this process. */
  readonly owner: string;
  /** How long a worker may stand still before it is started again; default 30 s. */
  readonly maxSilenceMs?: number;
}

/** Another process owns the partition now. */
class PartitionLost extends Error {}

/** Counts one partition, from its saved position on, until the signal aborts. */
export class PartitionWorker {
  readonly partition: number;
  readonly #dependencies: WorkerDependencies;
  readonly #signal: AbortSignal;
  readonly #lag: PartitionLag;

  constructor(partition: number, dependencies: WorkerDependencies, signal: AbortSignal) {
    this.partition = partition;
    this.#dependencies = dependencies;
    this.#signal = signal;
    this.#lag = new PartitionLag(partition);
  }

  /** Never rejects; continues through outages of NATS and MongoDB. */
  async run(): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#signal, lost.signal]);
    const onFailure = (error: unknown) => {
      if (error instanceof PartitionLost) lost.abort();
      else logger.warn({ err: error, partition: this.partition }, 'counting failed; restarting from the saved position');
    };
    const { maxSilenceMs } = this.#dependencies;
    const worker = `counting of partition ${this.partition}`;
    await repeat((run) => this.#countUntilAborted(run), { worker, maxSilenceMs, signal, delayMs: retryDelayMs, onFailure });
    this.#lag.end();
  }

  async #countUntilAborted(run: Run): Promise<void> {
    const { bus, stream, partitions } = this.#dependencies;
    const { position, at } = await this.#loadRecord();
    run.progress();
    if (bus.connection === undefined) return;
    // Starts one window before that of the position, to rebuild the known events and present visitors.
    const from = (Deduplicator.windowOf(at) - 1) * windowMs;
    const isOwnSite = (site: string) => assignPartition(site, partitions) === this.partition;
    const reader = await PartitionReader.open(bus, bus.connection, stream, { isOwnSite, from, run });
    const state = new PartitionState(position);
    try {
      while (!run.signal.aborted) await this.#countBatch(state, await reader.next(batch), reader, run);
    } finally {
      await reader.close();
    }
  }

  async #countBatch(
    state: PartitionState,
    messages: readonly ReadMessage[],
    { waiting }: Pick<PartitionReader, 'waiting'>,
    run: Run,
  ): Promise<void> {
    const last = messages.at(-1);
    if (last === undefined) {
      if (waiting === 0) this.#lag.counted(Date.now(), waiting);
      return;
    }
    const counted = messages.flatMap((message) => state.takeNewViews(message));
    if (last.position <= state.position) return;
    this.#lag.waits();
    await this.#setAside(
      messages.filter(({ position }) => position > state.position),
      run,
    );
    if (counted.length > 0) await this.#fold(counted, last.position, state.recentVisitors, run);
    // A run that was given up leaves the position to the next one.
    if (run.signal.aborted) return;
    if (!(await savePosition(String(this.partition), this.#dependencies.owner, last))) throw new PartitionLost();
    state.position = last.position;
    run.progress();
    this.#lag.counted(last.at, waiting);
    if (state.windowOffsets.canPurge(last.at)) await this.#purge(state.windowOffsets);
  }

  /** Unreadable views are kept as dead letters before the position passes them. */
  async #setAside(messages: readonly ReadMessage[], { progress }: Run): Promise<void> {
    for (const text of messages.flatMap(({ unreadable }) => unreadable)) {
      await becomeDeadLetter(this.#dependencies.bus, { consumer: viewsConsumer, text }, new Error('the views cannot be decoded'));
      progress();
    }
  }

  /** Retries the same views while MongoDB or projects-templates is unavailable. */
  #fold(counted: readonly PositionedView[], position: number, recentVisitors: RecentVisitors, { signal, progress }: Run): Promise<void> {
    return retry(() => this.#dependencies.fold.fold(counted, position, recentVisitors).finally(progress), {
      delayMs: retryDelayMs,
      signal,
      onFailure: (error) => logger.warn({ err: error, partition: this.partition }, 'views could not be saved; retrying'),
      exhausted: () => new PartitionLost(),
    });
  }

  async #purge(windowOffsets: WindowOffsets): Promise<void> {
    const { stream, partitions } = this.#dependencies;
    await purgeCountedViews(stream, partitions, windowOffsets).catch((error) =>
      logger.warn({ err: error, partition: this.partition }, 'counted views could not be purged; they stay on the stream for now'),
    );
  }

  async #loadRecord(): Promise<{ position: number; at: number }> {
    const found = (await findPartitions()).find(({ _id }) => _id === String(this.partition));
    if (found?.owner !== this.#dependencies.owner) throw new PartitionLost();
    return found;
  }
}

const countedTotal = counter({
  name: 'webkiln_views_counted_total',
  help: 'Views that workers took off the stream: counted, or repeats of an event that came within ten minutes',
  labelNames: ['kind'],
});

/** A partition's state while it is read. Rebuilt from the stream, starting some minutes before its position. */
class PartitionState {
  /** Everything up to this position is counted. */
  position: number;
  readonly recentVisitors = new RecentVisitors();
  readonly windowOffsets = new WindowOffsets();
  readonly #deduplicator = new Deduplicator();

  constructor(position: number) {
    this.position = position;
  }

  /** Returns the views to count. Earlier ones only rebuild the known events and present visitors. */
  takeNewViews(message: ReadMessage): PositionedView[] {
    this.windowOffsets.note(message);
    return message.views.flatMap((view) => {
      const isDuplicate = this.#deduplicator.isDuplicate(view.event, message.at);
      if (!isDuplicate && !view.bot) this.recentVisitors.record(view.site, view.visitor, Math.floor(view.at / minuteMs));
      if (message.position <= this.position) return [];
      countedTotal.inc({ kind: isDuplicate ? 'repeat' : 'counted' });
      return isDuplicate ? [] : [{ view, position: message.position }];
    });
  }
}

/** Longer than an idle worker waits until it looks at the stream again. */
const lookIntervalMs = 15_000;

const lags = new Set<PartitionLag>();

/** Shown under /metrics, by partition. */
export const viewsBehind = gauge({
  name: 'webkiln_views_behind_seconds',
  help: 'Of each partition that this process counts: for how long accepted views have waited, as far as is known; 0 while none does',
  labelNames: ['partition'],
  collect() {
    this.reset();
    for (const { partition, seconds } of lags) this.set({ partition }, seconds);
  },
});

/** How far the worker of a partition is behind. It grows while the worker stands still, whatever it waits for. */
class PartitionLag {
  readonly partition: number;
  /** Views accepted until then are counted; in milliseconds since 1970. */
  #countedUntil = Date.now();
  #areWaiting = false;

  constructor(partition: number) {
    this.partition = partition;
    lags.add(this);
  }

  get seconds(): number {
    const behindMs = Date.now() - this.#countedUntil;
    return this.#areWaiting || behindMs > lookIntervalMs ? behindMs / 1_000 : 0;
  }

  /** The worker has views that it has not counted yet. */
  waits(): void {
    this.#areWaiting = true;
  }

  /** Views accepted until `at` are counted; `waiting` messages come after them. */
  counted(at: number, waiting: number): void {
    this.#countedUntil = waiting === 0 ? Date.now() : at;
    this.#areWaiting = waiting > 0;
  }

  /** Ends the metric: another process counts the partition. */
  end(): void {
    lags.delete(this);
  }
}
