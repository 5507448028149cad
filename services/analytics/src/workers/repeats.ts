import { IdSet } from './id-set.ts';

export const generationMs = 10 * 60_000;

/**
 * Tells which views are repeats of an event that came 10 minutes before at most (20 at most are remembered). It goes by the stream's own
 * order and time alone, so that every process that reads the stream from where the generation before began comes to the same verdicts.
 */
export class Repeats {
  #generation = 0;
  #current = new IdSet();
  #before = new IdSet();
  readonly #id = Buffer.alloc(8);

  /** The number of the ten minutes that a time of the stream is in. */
  static generationOf(streamMs: number): number {
    return Math.floor(streamMs / generationMs);
  }

  /** Notes the event of a view that the stream took at that time; true where it was there before. Views without an id are no repeats. */
  isRepeat(event: string, streamMs: number): boolean {
    this.#advance(Repeats.generationOf(streamMs));
    if (event === '') return false;
    this.#id.fill(0);
    this.#id.write(event, 'base64url');
    const [high, low] = [this.#id.readUInt32BE(0), this.#id.readUInt32BE(4)];
    if (this.#current.has(high, low)) return true;
    this.#current.add(high, low);
    return this.#before.has(high, low);
  }

  /** Never goes back: a server's clock may. */
  #advance(generation: number): void {
    if (generation <= this.#generation) return;
    this.#before = generation === this.#generation + 1 ? this.#current : new IdSet();
    this.#current = new IdSet();
    this.#generation = generation;
  }
}
