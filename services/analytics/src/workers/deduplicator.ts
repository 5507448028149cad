import type { ViewsStream } from '../views/views-stream.ts';
import { findPartitions } from './partition-store.ts';

export const windowMs = 10 * 60_000;

/**
 * Recognizes repeats of an event within 10 minutes; events are remembered for at most 20. Depends only on the
 * stream's order and timestamps, so every process that starts reading one window earlier reaches the same decisions.
 */
export class Deduplicator {
  #window = 0;
  #current = new IdSet();
  #previous = new IdSet();
  readonly #id = Buffer.alloc(8);

  /** Returns the number of the ten-minute window of a stream timestamp. */
  static windowOf(streamMs: number): number {
    return Math.floor(streamMs / windowMs);
  }

  /**
   * Records the event of a view that the stream stored at `streamMs`. Returns true if it is a repeat. Views without
   * an event id never are.
   */
  isDuplicate(event: string, streamMs: number): boolean {
    this.#advance(Deduplicator.windowOf(streamMs));
    if (event === '') return false;
    this.#id.fill(0);
    this.#id.write(event, 'base64url');
    const [high, low] = [this.#id.readUInt32BE(0), this.#id.readUInt32BE(4)];
    if (this.#current.has(high, low)) return true;
    this.#current.add(high, low);
    return this.#previous.has(high, low);
  }

  /** Never goes back, although a server's clock may. */
  #advance(window: number): void {
    if (window <= this.#window) return;
    this.#previous = window === this.#window + 1 ? this.#current : new IdSet();
    this.#current = new IdSet();
    this.#window = window;
  }
}

const initialCapacity = 1024;
const maxFill = 0.6;

/** A set of random 64-bit ids, 13 to 27 bytes each: open addressing in one typed array. */
export class IdSet {
  #slots = new Uint32Array(2 * initialCapacity);
  #size = 0;
  #hasZero = false;

  get size(): number {
    return this.#size;
  }

  has(high: number, low: number): boolean {
    if ((high | low) === 0) return this.#hasZero;
    const slot = this.#findSlot(this.#slots, high, low);
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0;
  }

  add(high: number, low: number): void {
    if (this.has(high, low)) return;
    this.#size++;
    if ((high | low) === 0) {
      this.#hasZero = true;
      return;
    }
    if (this.#size > (this.#slots.length / 2) * maxFill) this.#grow();
    this.#put(this.#slots, high, low);
  }

  /** Returns the slot of the id, or the free slot where it belongs. */
  #findSlot(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1;
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const [foundHigh, foundLow] = [slots[2 * index], slots[2 * index + 1]];
      if ((foundHigh === high && foundLow === low) || (foundHigh === 0 && foundLow === 0)) return 2 * index;
    }
  }

  #put(slots: Uint32Array, high: number, low: number): void {
    const slot = this.#findSlot(slots, high, low);
    slots[slot] = high;
    slots[slot + 1] = low;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const [high = 0, low = 0] = [this.#slots[slot], this.#slots[slot + 1]];
      if ((high | low) !== 0) this.#put(larger, high, low);
    }
    this.#slots = larger;
  }
}

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
