import type { GuardedWrite, Scope } from '@webkiln/store';
import { dayMs, startOfDay } from '../../views/utc-day.ts';
import type { VisitorsState } from './site-day-store.ts';
import { type StoredVisitors, VisitorSet } from './visitor-set.ts';

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

  add(visitor: string, position: number): void {
    if (position > this.#applied) this.#set.add(visitor);
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
