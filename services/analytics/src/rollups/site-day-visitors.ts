import type { GuardedWrite, Scope } from '@webkiln/store';
import { dayMs, startOfDay } from '../views/view.ts';
import { HyperLogLog } from './hyperloglog.ts';
import type { StoredVisitors, VisitorsState } from './site-day-store.ts';

/** Longer than views stay on the stream, so that a day that is counted late still has its visitors. */
const retentionMs = 9 * dayMs;
const notApplied = -1;

export type ReadVisitors = StoredVisitors & { readonly applied: number };

/** The visitors of one site on one UTC day. The record has its own `applied` position, as in `SiteDay`. */
export class SiteDayVisitors {
  readonly #id: string;
  readonly #scope: Scope;
  readonly #day: string;
  readonly #set: VisitorSet;
  #applied: number;

  constructor(id: string, scope: Scope, day: string, read: ReadVisitors | null) {
    this.#id = id;
    this.#scope = scope;
    this.#day = day;
    this.#applied = read?.applied ?? notApplied;
    this.#set = new VisitorSet(read ?? {});
  }

  get count(): number {
    return this.#set.count;
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.#set.bytes;
  }

  /** Returns how many new visitors it stands for: 0 or 1, and beyond 1,000 visitors an estimate. */
  add(visitor: string, position: number): number {
    return position > this.#applied ? this.#set.add(visitor) : 0;
  }

  /** Builds the write that stores all views up to a position. Returns undefined if there are no new visitors. */
  buildWrite(position: number): GuardedWrite<VisitorsState> | undefined {
    const { change } = this.#set;
    if (change === undefined || position <= this.#applied) return undefined;
    const [scope, _id] = [this.#scope, this.#id];
    if (this.#applied === notApplied) {
      const expire_at = new Date(startOfDay(this.#day) + retentionMs);
      const first = change.kind === 'seen' ? { seen: [change.added] } : { registers: change.pieces };
      return { scope, record: { _id, applied: position, expire_at, ...first } };
    }
    const filter = { _id, applied: this.#applied };
    if (change.kind === 'seen') return { scope, filter, update: { $set: { applied: position }, $push: { seen: change.added } } };
    const pieces = Object.entries(change.pieces).map(([piece, values]) => [`registers.${piece}`, Buffer.from(values)]);
    const $set = { applied: position, ...Object.fromEntries(pieces) };
    return { scope, filter, update: { $set, ...(change.replacesSeen && { $unset: { seen: '' } }) } };
  }

  /** Call when the write up to a position has succeeded. */
  markSaved(position: number): void {
    this.#set.markSaved();
    this.#applied = position;
  }
}

/** Up to this many visitors of a site-day are counted exactly. */
const maxExactVisitors = 1_000;
const visitorLength = 16;
const chunkRegisters = 256;

/** The changes since the set was loaded or last saved. */
type VisitorChange =
  | { readonly kind: 'seen'; readonly added: string }
  | { readonly kind: 'registers'; readonly pieces: Readonly<Record<string, Uint8Array>>; readonly replacesSeen: boolean };

/** The distinct visitors of one site on one day: exact up to 1,000, then a HyperLogLog sketch. */
class VisitorSet {
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

  /** `visitor`: 16 base64url characters of a keyed hash. Returns how many new visitors it stands for. */
  add(visitor: string): number {
    if (this.#seen === undefined) return this.#addToSketch(visitor);
    if (this.#seen.has(visitor)) return 0;
    this.#seen.add(visitor);
    this.#added.push(visitor);
    if (this.#seen.size > maxExactVisitors) this.#convertToSketch(this.#seen);
    return 1;
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

  #addToSketch(visitor: string): number {
    const { index = -1, standsFor = 0 } = this.#sketch?.add(Buffer.from(visitor, 'base64url')) ?? {};
    if (index >= 0) this.#grownPieces.add(Math.floor(index / chunkRegisters));
    return standsFor;
  }
}
