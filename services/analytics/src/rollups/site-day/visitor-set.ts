import { HyperLogLog } from './hyperloglog.ts';

/** Up to this many visitors of a site-day are counted exactly. */
export const maxExactVisitors = 1_000;
const visitorLength = 16;
const chunkRegisters = 256;

/** A visitor set as stored: the visitors, 16 characters each, or the sketch in pieces of 256 registers. */
export interface StoredVisitors {
  readonly seen?: readonly string[];
  readonly registers?: Readonly<Record<string, Uint8Array>>;
}

/** The changes since the set was loaded or last saved. */
export type VisitorChange =
  | { readonly kind: 'seen'; readonly added: string }
  | { readonly kind: 'registers'; readonly pieces: Readonly<Record<string, Uint8Array>>; readonly replacesSeen: boolean };

/** The distinct visitors of one site on one day: exact up to 1,000, then a HyperLogLog sketch. */
export class VisitorSet {
  #seen: Set<string> | undefined;
  #sketch: HyperLogLog | undefined;
  #added: string[] = [];
  readonly #grownPieces = new Set<number>();
  #replacesSeen = false;

  constructor({ seen = [], registers }: StoredVisitors = {}) {
    if (registers === undefined) {
      this.#seen = new Set(seen.flatMap((joined) => joined.match(/.{16}/g) ?? []));
      return;
    }
    const all = new Uint8Array(HyperLogLog.registerCount);
    for (const [piece, values] of Object.entries(registers)) all.set(values, Number(piece) * chunkRegisters);
    this.#sketch = new HyperLogLog(all);
  }

  /** `visitor`: 16 base64url characters of a keyed hash. */
  add(visitor: string): void {
    if (this.#seen === undefined) this.#addToSketch(visitor);
    else if (!this.#seen.has(visitor)) {
      this.#seen.add(visitor);
      this.#added.push(visitor);
      if (this.#seen.size > maxExactVisitors) this.#convertToSketch(this.#seen);
    }
  }

  get count(): number {
    return this.#seen?.size ?? this.#sketch?.estimate() ?? 0;
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.#seen === undefined ? HyperLogLog.registerCount : this.#seen.size * (visitorLength + 48);
  }

  /** The changes to write; undefined if there are none. */
  get change(): VisitorChange | undefined {
    if (this.#added.length > 0) return { kind: 'seen', added: this.#added.join('') };
    if (this.#sketch === undefined || this.#grownPieces.size === 0) return undefined;
    const { registers } = this.#sketch;
    const pieces = [...this.#grownPieces].map((piece) => {
      const values = Uint8Array.from(registers.subarray(piece * chunkRegisters, (piece + 1) * chunkRegisters));
      return [piece, values] as const;
    });
    return { kind: 'registers', pieces: Object.fromEntries(pieces), replacesSeen: this.#replacesSeen };
  }

  /** Call when the change is stored. */
  markSaved(): void {
    this.#added = [];
    this.#grownPieces.clear();
    this.#replacesSeen = false;
  }

  #convertToSketch(seen: ReadonlySet<string>): void {
    this.#seen = undefined;
    this.#added = [];
    this.#replacesSeen = true;
    this.#sketch = new HyperLogLog();
    for (const visitor of seen) this.#addToSketch(visitor);
  }

  #addToSketch(visitor: string): void {
    const grown = this.#sketch?.add(Buffer.from(visitor, 'base64url')) ?? -1;
    if (grown >= 0) this.#grownPieces.add(Math.floor(grown / chunkRegisters));
  }
}
