import { randomUUID } from 'node:crypto';
import { listen } from '@webkiln/events';
import { type Bus, theBus } from '@webkiln/events/streams';
import { logger, type Run, repeat } from '@webkiln/runtime';
import { raiseReports } from '../monthly-reports/raise-reports.ts';
import { onProjectDeleted } from '../reactions/on-project-deleted.ts';
import { onProjectMoved } from '../reactions/on-project-moved.ts';
import { closeDays } from '../rollups/org-day-store.ts';
import { type ViewsStream, viewsConsumer } from '../views/views-stream.ts';
import { Fold, SiteOwners } from './fold.ts';
import {
  claimPartition,
  createPartitions,
  findLiveWorkers,
  findPartitions,
  heartbeat,
  releasePartition,
  removeWorker,
  renewPartitions,
} from './partition-store.ts';
import { PartitionWorker } from './partition-worker.ts';

const pollIntervalMs = 2_000;
const leaseMs = 5_000;

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Distributes the partitions over all worker processes, without a coordinator. Every two seconds a process renews its
 * leases, releases partitions beyond its fair share, and claims free ones up to it. An expired lease is free. If its
 * owner still counts for a moment, no statistics are harmed (see `SiteDay`).
 */
class PartitionLeases {
  readonly owner = randomUUID();
  readonly #partitions: number;
  readonly #countPartition: (partition: number, signal: AbortSignal) => Promise<void>;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new AbortController();
  #isCreated = false;
  #polling: Promise<void> = Promise.resolve();

  /** `countPartition` counts a partition until the signal aborts. It must not reject. */
  constructor(partitions: number, countPartition: (partition: number, signal: AbortSignal) => Promise<void>) {
    this.#partitions = partitions;
    this.#countPartition = countPartition;
  }

  start(): void {
    this.#polling = repeat((run) => this.#poll(run), {
      worker: 'partition leases',
      signal: this.#stopping.signal,
      delayMs: pollIntervalMs,
      onFailure: (error) => logger.warn({ err: error }, 'partition leases could not be updated; retrying'),
    });
  }

  /** Stops counting and releases all partitions. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
    await Promise.all([...this.#running.keys()].map((id) => this.#release(id)));
    await removeWorker(this.owner).catch(() => undefined);
  }

  owns(partition: number): boolean {
    return this.#running.has(String(partition));
  }

  async #poll({ progress }: Run): Promise<void> {
    if (!this.#isCreated) await createPartitions(this.#partitions);
    this.#isCreated = true;
    progress();
    await this.#rebalance(Date.now());
  }

  async #rebalance(nowMs: number): Promise<void> {
    const [now, until] = [new Date(nowMs), new Date(nowMs + leaseMs)];
    await heartbeat(this.owner, until);
    await renewPartitions(this.owner, [...this.#running.keys()], until);
    const [all, liveWorkers] = await Promise.all([findPartitions(), findLiveWorkers(now)]);
    const own = new Set(all.filter(({ owner }) => owner === this.owner).map(({ _id }) => _id));
    for (const [id, { controller }] of this.#running) if (!own.has(id)) controller.abort();
    const share = fairShare(this.#partitions, liveWorkers, this.owner);
    const active = [...this.#running].filter(([, { controller }]) => !controller.signal.aborted);
    for (const [id] of active.slice(share)) void this.#release(id);
    const free = all.filter(({ _id, until: leased }) => leased <= now && Number(_id) < this.#partitions && !this.#running.has(_id));
    for (const { _id } of shuffle(free)) {
      if (this.#running.size >= share || this.#stopping.signal.aborted) return;
      if (await claimPartition(_id, this.owner, now, until)) this.#startCounting(_id);
    }
  }

  #startCounting(id: string): void {
    const controller = new AbortController();
    const ended = this.#countPartition(Number(id), controller.signal).then(() => void this.#running.delete(id));
    this.#running.set(id, { controller, ended });
  }

  async #release(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.controller.abort();
    await running?.ended;
    await releasePartition(id, this.owner).catch((error) =>
      logger.warn({ err: error, partition: id }, 'partition not released; it is free when its lease expires'),
    );
  }
}

/** Returns a worker's number of partitions: an equal share; the first workers take one more of the rest. */
function fairShare(partitions: number, liveWorkers: readonly string[], owner: string): number {
  const count = Math.max(liveWorkers.length, 1);
  return Math.floor(partitions / count) + (liveWorkers.indexOf(owner) < partitions % count ? 1 : 0);
}

/** A random order, so that processes do not compete for the same partition. */
const shuffle = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);

const closeIntervalMs = 5_000;
const maxRunMs = 600_000;
const reportIntervalMs = 10 * 60_000;
/** The owner of this partition also closes the days and raises reports. So usually exactly one process does. */
const closingPartition = 0;

interface Options {
  /** The number of partitions; must be the same in every process. */
  readonly partitions: number;
  readonly owners: Pick<SiteOwners, 'getOwner'>;
  /** How long the worker of a partition may stand still before it is started again; default 30 s. */
  readonly maxSilenceMs?: number;
}

/** Counts views: this process's share of the partitions. Store and events must be connected. */
export class Workers {
  readonly #bus: Bus;
  readonly #stream: ViewsStream;
  readonly #leases: PartitionLeases;
  readonly #stopping = new AbortController();
  #background: readonly Promise<void>[] = [];

  constructor(bus: Bus, stream: ViewsStream, { partitions, owners, maxSilenceMs }: Options) {
    this.#bus = bus;
    this.#stream = stream;
    const fold = new Fold(owners);
    this.#leases = new PartitionLeases(partitions, (partition, signal) =>
      new PartitionWorker(partition, { bus, stream, partitions, fold, owner: this.#leases.owner, maxSilenceMs }, signal).run(),
    );
  }

  start(): void {
    this.#bus.replays.set(viewsConsumer, (text) => this.#stream.replay(text));
    this.#leases.start();
    this.#background = [
      this.#repeat('closing of days', closeIntervalMs, closeDays),
      this.#repeat('raising of monthly reports', reportIntervalMs, raiseReports),
    ];
  }

  /** Repeats work on what is due, while this process is the one that does it. */
  #repeat(worker: string, delayMs: number, work: (now: number) => Promise<void>): Promise<void> {
    const run = async () => {
      if (this.#leases.owns(closingPartition)) await work(Date.now());
    };
    const onFailure = (error: unknown) => logger.warn({ err: error }, `${worker} failed; retrying`);
    return repeat(run, { worker, maxSilenceMs: maxRunMs, signal: this.#stopping.signal, delayMs, onFailure });
  }

  /** Finishes the current batches and releases the partitions. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#leases.stop(), ...this.#background]);
  }
}

/** Starts to count views in this process. The store must be connected; NATS and peers need not be up yet. */
export function startWorkers(stream: ViewsStream, partitions: number): Workers {
  const owners = new SiteOwners();
  listen('internal.site.changed', ({ data }) => owners.invalidate(data.name));
  onProjectDeleted();
  onProjectMoved();
  const workers = new Workers(theBus(), stream, { partitions, owners });
  workers.start();
  return workers;
}
