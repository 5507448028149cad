import type { GuardedWrite, Scope } from '@webkiln/store';
import type { VisitorsState } from './site-day-store.ts';
import { dayMs, startOf } from './utc-day.ts';
import { type StoredVisitors, VisitorSet } from './visitor-set.ts';

/** Longer than views stay on the stream, so that a day that is counted late finds its visitors. */
const keptMs = 9 * dayMs;
const nowhere = -1;

export type ReadVisitors = StoredVisitors & { readonly applied: number };

/** Who was on one site on one UTC day, and the record of it: as `SiteDay` and its figures, by a position of its own. */
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
    this.#applied = read?.applied ?? nowhere;
    this.#set = new VisitorSet(read ?? {});
  }

  get count(): number {
    return this.#set.count;
  }

  /** About what they take in memory. */
  get bytes(): number {
    return this.#set.bytes;
  }

  add(visitor: string, position: number): void {
    if (position > this.#applied) this.#set.add(visitor);
  }

  /** What to write when all views up to a position are added; undefined where nobody is new. */
  write(position: number): GuardedWrite<VisitorsState> | undefined {
    const { change } = this.#set;
    if (change === undefined || position <= this.#applied) return undefined;
    const [scope, _id] = [this.#scope, this.#id];
    if (this.#applied === nowhere) {
      const expire_at = new Date(startOf(this.#day) + keptMs);
      const first = change.kind === 'seen' ? { seen: [change.added] } : { registers: change.pieces };
      return { scope, record: { _id, applied: position, expire_at, ...first } };
    }
    const filter = { _id, applied: this.#applied };
    if (change.kind === 'seen') return { scope, filter, update: { $set: { applied: position }, $push: { seen: change.added } } };
    const pieces = Object.entries(change.pieces).map(([piece, values]) => [`registers.${piece}`, Buffer.from(values)]);
    const $set = { applied: position, ...Object.fromEntries(pieces) };
    return { scope, filter, update: { $set, ...(change.replacesSeen && { $unset: { seen: '' } }) } };
  }

  /** They stand in the store up to a position. */
  settled(position: number): void {
    this.#set.settle();
    this.#applied = position;
  }
}
