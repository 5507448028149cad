import { becomeDeadLetter } from '@webkiln/events';
import type { Bus } from '@webkiln/events/streams';
import { logger, type Run, repeat, retry } from '@webkiln/runtime';
import type { RecentVisitors } from '../../rollups/site-day/recent-visitors.ts';
import { type ViewsStream, viewsConsumer } from '../../views/views-stream.ts';
import { Deduplicator, windowMs } from '../deduplicate/deduplicator.ts';
import { purgeCountedViews, type WindowOffsets } from '../deduplicate/window-offsets.ts';
import type { Fold, PositionedView } from '../fold/fold.ts';
import { PartitionReader } from '../read/partition-reader.ts';
import type { ReadMessage } from '../read/read-message.ts';
import { assignPartition } from './partition.ts';
import { PartitionLag } from './partition-lag.ts';
import { PartitionState } from './partition-state.ts';
import { findPartitions, savePosition } from './partition-store.ts';

const batch = { batchWaitMs: 300, maxViews: 5_000 };
const retryDelayMs = 500;

export interface WorkerDependencies {
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
