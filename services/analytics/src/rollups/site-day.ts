import type { GuardedWrite, Scope } from '@webkiln/store';
import type { View } from '../views/view.ts';
import { BoundedCounts } from './bounded-counts.ts';
import { fieldName, textOf } from './field-name.ts';
import { RecentMinutes } from './recent-minutes.ts';
import type { RecentVisitors } from './recent-visitors.ts';
import type { Counts, SiteDayState, VisitorsState } from './site-day-store.ts';
import { dayMs, minuteMs, startOf } from './utc-day.ts';
import { type StoredVisitors, VisitorSet } from './visitor-set.ts';

const pagesMost = 500;
const referrersMost = 200;
const devicesMost = 10;
/** Longer than views stay on the stream, so that a day that is counted late finds its visitors. */
const visitorsKeptMs = 9 * dayMs;
const nothing = -1;

interface Read {
  readonly figures: SiteDayState | null;
  readonly visitors: (StoredVisitors & { readonly applied: number }) | null;
}

/**
 * The figures of one site on one UTC day, in the memory of the worker that counts them.
 *
 * A record in the store says by `applied` that it holds exactly the views up to that position of the stream; `add` passes over those, and a
 * write stands only where `applied` still is what was read. So a view counts once in each record, whichever worker writes, how often a batch
 * is counted, and wherever a worker died between the writes.
 */
export class SiteDay {
  readonly id: string;
  readonly #scope: Scope;
  readonly #head: Pick<SiteDayState, 'project_id' | 'day'>;
  readonly #visitors: VisitorSet;
  readonly #recent: RecentMinutes;
  readonly #counts: Readonly<Record<'pages' | 'referrers' | 'devices', BoundedCounts>>;
  readonly #sums: Pick<SiteDayState, 'views' | 'bots' | 'uniques'>;
  #applied: number;
  #visitorsApplied: number;

  constructor(id: string, scope: Scope, head: Pick<SiteDayState, 'project_id' | 'day'>, { figures, visitors }: Read) {
    this.id = id;
    this.#scope = scope;
    this.#head = head;
    this.#applied = figures?.applied ?? nothing;
    this.#visitorsApplied = visitors?.applied ?? nothing;
    this.#visitors = new VisitorSet(visitors ?? {});
    this.#recent = new RecentMinutes(figures?.recent);
    this.#sums = { views: figures?.views ?? 0, bots: figures?.bots ?? 0, uniques: figures?.uniques ?? 0 };
    this.#counts = {
      pages: new BoundedCounts(pagesMost, texts(figures?.pages)),
      referrers: new BoundedCounts(referrersMost, texts(figures?.referrers)),
      devices: new BoundedCounts(devicesMost, texts(figures?.devices)),
    };
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return this.#visitors.bytes + this.#counts.pages.bytes + this.#counts.referrers.bytes + 2_000;
  }

  /** Counts a view that stands at a position of the stream, where it is not in yet. Positions never go back. */
  add(view: View, position: number): void {
    if (!view.bot && position > this.#visitorsApplied) this.#visitors.add(view.visitor);
    if (position <= this.#applied) return;
    if (view.bot) {
      this.#sums.bots++;
      return;
    }
    this.#sums.views++;
    this.#counts.pages.add(view.path);
    this.#counts.referrers.add(view.referrer);
    this.#counts.devices.add(view.device);
    this.#recent.add(Math.floor(view.at / minuteMs));
  }

  /** What to write of the visitors when all views up to a position are added; undefined where nobody is new. It comes before the figures. */
  visitorsWrite(position: number): GuardedWrite<VisitorsState> | undefined {
    const { change } = this.#visitors;
    if (change === undefined || position <= this.#visitorsApplied) return undefined;
    const { id: _id } = this;
    const fields =
      change.kind === 'seen'
        ? {}
        : prefixed(
            'registers',
            Object.entries(change.pieces).map(([piece, values]) => [piece, Buffer.from(values)]),
          );
    if (this.#visitorsApplied === nothing) {
      const expire_at = new Date(startOf(this.#head.day) + visitorsKeptMs);
      const first = change.kind === 'seen' ? { seen: [change.added] } : { registers: change.pieces };
      return { scope: this.#scope, record: { _id, applied: position, expire_at, ...first } };
    }
    const update = {
      $set: { applied: position, ...fields },
      ...(change.kind === 'seen' && { $push: { seen: change.added } }),
      ...(change.kind === 'registers' && change.replacesSeen && { $unset: { seen: '' } }),
    };
    return { scope: this.#scope, filter: { _id, applied: this.#visitorsApplied }, update };
  }

  /** What to write of the figures when all views up to a position are added; undefined where they are in already. */
  figuresWrite(position: number, site: string, there: RecentVisitors): GuardedWrite<SiteDayState> | undefined {
    if (position <= this.#applied) return undefined;
    this.#sums.uniques = Math.max(this.#sums.uniques, this.#visitors.count);
    const { pages, referrers, devices } = this.#counts;
    const recent = this.#recent.changes(site, there);
    const { id: _id } = this;
    if (this.#applied === nothing) {
      const counts = { pages: fields(pages), referrers: fields(referrers), devices: fields(devices), recent: Object.fromEntries(recent) };
      return { scope: this.#scope, record: { _id, ...this.#head, applied: position, ...this.#sums, ...counts } };
    }
    const $set = {
      applied: position,
      ...this.#sums,
      ...prefixed('pages', named(pages)),
      ...prefixed('referrers', named(referrers)),
      ...prefixed('devices', named(devices)),
      ...prefixed('recent', recent),
    };
    return { scope: this.#scope, filter: { _id, applied: this.#applied }, update: { $set } };
  }

  /** The visitors stand in the store up to a position. */
  visitorsSettled(position: number): void {
    this.#visitors.settle();
    this.#visitorsApplied = position;
  }

  /** The figures stand in the store up to a position. */
  figuresSettled(position: number): void {
    for (const counts of Object.values(this.#counts)) counts.settle();
    this.#recent.settle();
    this.#applied = position;
  }
}

const texts = (counts: Counts = {}) => Object.entries(counts).map(([field, count]) => [textOf(field), count] as const);
const named = (counts: BoundedCounts) => counts.changes().map(([name, count]) => [fieldName(name), count] as const);
const fields = (counts: BoundedCounts): Counts => Object.fromEntries([...counts.counts].map(([name, count]) => [fieldName(name), count]));
const prefixed = (field: string, entries: readonly (readonly [string, unknown])[]) =>
  Object.fromEntries(entries.map(([name, value]) => [`${field}.${name}`, value]));
