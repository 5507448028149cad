import { listen } from '@webkiln/events';
import { type Bus, theBus } from '@webkiln/events/streams';
import { logger, repeat } from '@webkiln/runtime';
import { raiseReports } from '../monthly-reports/raise-reports.ts';
import { onProjectDeleted } from '../reactions/on-project-deleted.ts';
import { onProjectMoved } from '../reactions/on-project-moved.ts';
import { closeDays } from '../rollups/org-day-store.ts';
import { type ViewsStream, viewsConsumer } from '../views/views-stream.ts';
import { Fold, SiteOwners } from './fold.ts';
import { PartitionLeases } from './leases.ts';
import { PartitionWorker } from './partition-worker.ts';

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
