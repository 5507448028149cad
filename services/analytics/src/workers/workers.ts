import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { closeDays } from '../rollups/close-days.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { Fold } from './fold.ts';
import { Ownership } from './ownership.ts';
import { PartitionWorker } from './partition-worker.ts';
import type { SiteOwners } from './site-owners.ts';

const closeEveryMs = 5_000;
/** Whoever counts this partition closes the days, too: it is somebody, and one at a time as a rule. */
const closer = 0;

interface Options {
  /** Into how many the counting is divided: the same in every process. */
  readonly partitions: number;
  readonly owners: Pick<SiteOwners, 'ownerOf'>;
}

/** Counts views: this process' share of the partitions. Store and events must be connected. */
export class Workers {
  readonly #ownership: Ownership;
  readonly #stopping = new AbortController();
  #closing: Promise<void> = Promise.resolve();

  constructor(bus: Bus, stream: ViewsStream, { partitions, owners }: Options) {
    const fold = new Fold(owners);
    this.#ownership = new Ownership(partitions, (partition, signal) =>
      new PartitionWorker(partition, { bus, stream, partitions, fold, owner: this.#ownership.owner }, signal).run(),
    );
  }

  start(): void {
    this.#ownership.start();
    this.#closing = this.#closeDays();
  }

  /** Finishes what is in hand, and leaves the partitions to others. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#ownership.stop(), this.#closing]);
  }

  async #closeDays(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(closeEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !this.#ownership.owns(closer)) continue;
      await closeDays(Date.now()).catch((error) => logger.warn({ err: error }, 'days wait to be closed'));
    }
  }
}
