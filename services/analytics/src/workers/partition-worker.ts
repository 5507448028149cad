import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '@webkiln/events/streams';
import { gauge, logger } from '@webkiln/runtime';
import type { RecentVisitors } from '../rollups/recent-visitors.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import type { CountedView, Fold } from './fold.ts';
import type { GenerationStarts } from './generation-starts.ts';
import { partitionOf } from './partition.ts';
import { PartitionReader } from './partition-reader.ts';
import { allPartitions, savePosition } from './partition-store.ts';
import { Passage } from './passage.ts';
import { purgeCounted } from './purge-counted.ts';
import type { ReadMessage } from './read-message.ts';
import { generationMs, Repeats } from './repeats.ts';

const batch = { gatherMs: 300, viewsMost: 5_000 };
const retryWaitMs = 500;

const behind = gauge({
  name: 'webkiln_views_behind_seconds',
  help: 'Of each partition that this process counts, how long ago its last counted views were accepted; 0 while nothing waits',
  labelNames: ['partition'],
});

export interface WorkerParts {
  readonly bus: Bus;
  readonly stream: ViewsStream;
  /** How many there are. */
  readonly partitions: number;
  readonly fold: Fold;
  /** Who this process is. */
  readonly owner: string;
}

/** Another process counts the partition by now. */
class PartitionLost extends Error {}

/** Counts one partition of the sites, from where it was counted to, until its signal says that it is over. */
export class PartitionWorker {
  readonly partition: number;
  readonly #parts: WorkerParts;
  readonly #signal: AbortSignal;

  constructor(partition: number, parts: WorkerParts, signal: AbortSignal) {
    this.partition = partition;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Never rejects; goes on through outages of NATS and MongoDB. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        await this.#count();
      } catch (error) {
        if (error instanceof PartitionLost) break;
        logger.warn({ err: error, partition: this.partition }, 'counting views starts again');
      }
      await this.#rest();
    }
    behind.remove({ partition: this.partition });
  }

  async #count(): Promise<void> {
    const { bus, stream, partitions } = this.#parts;
    const { position, at } = await this.#own();
    if (bus.connection === undefined) return;
    // From where the generation before that of the position begins: what repeats are told by, and who is on the sites.
    const from = (Repeats.generationOf(at) - 1) * generationMs;
    const isOwn = (site: string) => partitionOf(site, partitions) === this.partition;
    const reader = await PartitionReader.open(bus, bus.connection, stream, { isOwn, from, signal: this.#signal });
    const passage = new Passage(position);
    try {
      while (!this.#signal.aborted) await this.#take(passage, await reader.next(batch), reader);
    } finally {
      await reader.close();
    }
  }

  async #take(passage: Passage, messages: readonly ReadMessage[], { waiting }: Pick<PartitionReader, 'waiting'>): Promise<void> {
    const last = messages.at(-1);
    if (last === undefined) {
      behind.set({ partition: this.partition }, 0);
      return;
    }
    const counted = messages.flatMap((message) => passage.countedOf(message));
    if (last.position <= passage.position) return;
    if (counted.length > 0) await this.#fold(counted, last.position, passage.there);
    if (!(await savePosition(String(this.partition), this.#parts.owner, last))) throw new PartitionLost();
    passage.position = last.position;
    behind.set({ partition: this.partition }, waiting === 0 ? 0 : (Date.now() - last.at) / 1000);
    if (passage.starts.mayLetGo(last.at)) await this.#purge(passage.starts);
  }

  /** The same views again and again while the store, or who knows whose a site is, is away. */
  async #fold(counted: readonly CountedView[], position: number, there: RecentVisitors): Promise<void> {
    for (;;) {
      try {
        return await this.#parts.fold.fold(counted, position, there);
      } catch (error) {
        logger.warn({ err: error, partition: this.partition }, 'views wait to be counted');
        await this.#rest();
        if (this.#signal.aborted) throw new PartitionLost();
      }
    }
  }

  async #purge(starts: GenerationStarts): Promise<void> {
    const { stream, partitions } = this.#parts;
    await purgeCounted(stream, partitions, starts).catch((error) =>
      logger.warn({ err: error, partition: this.partition }, 'counted views stay on the stream for a while'),
    );
  }

  async #own(): Promise<{ position: number; at: number }> {
    const found = (await allPartitions()).find(({ _id }) => _id === String(this.partition));
    if (found?.owner !== this.#parts.owner) throw new PartitionLost();
    return found;
  }

  async #rest(): Promise<void> {
    await pause(retryWaitMs, undefined, { signal: this.#signal }).catch(() => undefined);
  }
}
