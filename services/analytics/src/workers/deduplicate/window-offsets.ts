import type { ViewsStream } from '../../views/views-stream.ts';
import { findPartitions } from '../partitions/partition-store.ts';
import { Deduplicator } from './deduplicator.ts';

/** The first stream sequence of each deduplication window. Shows which messages no reader needs any more. */
export class WindowOffsets {
  readonly #firstSequence = new Map<number, number>();

  note({ at, sequence }: { readonly at: number; readonly sequence: number }): void {
    const window = Deduplicator.windowOf(at);
    if (!this.#firstSequence.has(window)) this.#firstSequence.set(window, sequence);
  }

  /** True if messages can be purged, provided that every partition is counted up to `at`. */
  canPurge(at: number): boolean {
    const firstNeeded = firstNeededWindow(at);
    return [...this.#firstSequence.keys()].some((window) => window <= firstNeeded);
  }

  /**
   * Returns the sequence below which messages are not needed to resume from `at`, which takes one window before it.
   * Undefined if unknown or already returned.
   */
  purgeBefore(at: number): number | undefined {
    const firstNeeded = firstNeededWindow(at);
    const firstSequence = this.#firstSequence.get(firstNeeded);
    const older = [...this.#firstSequence.keys()].filter((window) => window <= firstNeeded);
    for (const window of older) this.#firstSequence.delete(window);
    return firstSequence;
  }
}

const firstNeededWindow = (at: number): number => Deduplicator.windowOf(at) - 2;

/** Purges messages that every partition has counted and that none needs for deduplication. */
export async function purgeCountedViews(stream: ViewsStream, partitions: number, offsets: WindowOffsets): Promise<void> {
  const counted = (await findPartitions()).filter(({ _id }) => Number(_id) < partitions);
  const below = offsets.purgeBefore(Math.min(...counted.map(({ at }) => at)));
  if (below !== undefined) await stream.purge(below);
}
