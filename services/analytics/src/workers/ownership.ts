import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import {
  aliveWorkers,
  allPartitions,
  beAlive,
  beGone,
  claimPartition,
  makePartitions,
  releasePartition,
  renewPartitions,
} from './partition-store.ts';

const tickMs = 1_000;
const leaseMs = 4_000;

interface Running {
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Shares the partitions among all processes that count, without anybody who arranges it: each second a process renews what it has, hands
 * back what is more than its share, and takes what nobody has, up to its share. A lease that has run out is anybody's, whatever became of its owner;
 * should that one go on for a moment, no figure comes to harm (see `SiteDay`).
 */
export class Ownership {
  readonly owner = randomUUID();
  readonly #partitions: number;
  readonly #work: (partition: number, signal: AbortSignal) => Promise<void>;
  readonly #running = new Map<string, Running>();
  readonly #stopping = new AbortController();
  #ticking: Promise<void> = Promise.resolve();

  /** `work` counts a partition until the signal; it never rejects. */
  constructor(partitions: number, work: (partition: number, signal: AbortSignal) => Promise<void>) {
    this.#partitions = partitions;
    this.#work = work;
  }

  start(): void {
    this.#ticking = this.#run();
  }

  /** Ends the work and hands everything over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ticking;
    await Promise.all([...this.#running.keys()].map((id) => this.#handBack(id)));
    await beGone(this.owner).catch(() => undefined);
  }

  owns(partition: number): boolean {
    return this.#running.has(String(partition));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let made = false;
    while (!signal.aborted) {
      try {
        if (!made) await makePartitions(this.#partitions);
        made = true;
        await this.#tick(Date.now());
      } catch (error) {
        logger.warn({ err: error }, 'partitions could not be shared out');
      }
      await pause(tickMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #tick(nowMs: number): Promise<void> {
    const [now, until] = [new Date(nowMs), new Date(nowMs + leaseMs)];
    await beAlive(this.owner, until);
    await renewPartitions(this.owner, [...this.#running.keys()], until);
    const [all, alive] = await Promise.all([allPartitions(), aliveWorkers(now)]);
    const own = new Set(all.filter(({ owner }) => owner === this.owner).map(({ _id }) => _id));
    for (const [id, { end }] of this.#running) if (!own.has(id)) end.abort();
    const share = shareOf(this.#partitions, alive, this.owner);
    const going = [...this.#running].filter(([, { end }]) => !end.signal.aborted);
    for (const [id] of going.slice(share)) void this.#handBack(id);
    const free = all.filter(({ _id, until: leased }) => leased <= now && Number(_id) < this.#partitions && !this.#running.has(_id));
    for (const { _id } of shuffled(free)) {
      if (this.#running.size >= share || this.#stopping.signal.aborted) return;
      if (await claimPartition(_id, this.owner, now, until)) this.#begin(_id);
    }
  }

  #begin(id: string): void {
    const end = new AbortController();
    const ended = this.#work(Number(id), end.signal).then(() => void this.#running.delete(id));
    this.#running.set(id, { end, ended });
  }

  async #handBack(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.end.abort();
    await running?.ended;
    await releasePartition(id, this.owner).catch((error) =>
      logger.warn({ err: error, partition: id }, 'a partition is free when its lease ends'),
    );
  }
}

/** How many partitions are a worker's: as many as everybody's, and of those that are left one for each of the first. */
function shareOf(partitions: number, alive: readonly string[], owner: string): number {
  const count = Math.max(alive.length, 1);
  return Math.floor(partitions / count) + (alive.indexOf(owner) < partitions % count ? 1 : 0);
}

/** In any order, so that processes that look at once do not all reach for the same one. */
const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
