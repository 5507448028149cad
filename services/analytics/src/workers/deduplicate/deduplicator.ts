import { IdSet } from './id-set.ts';

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
