import type { GuardedWrite, Scope } from '@webkiln/store';
import { hourMs, minuteMs, startOfDay, type View } from '../views/view.ts';
import { Breakdown } from './breakdown.ts';
import { presenceMinutes, type RecentVisitors } from './recent-visitors.ts';
import type { RecentMinute, SiteDayState, VisitorsState } from './site-day-store.ts';
import { type ReadVisitors, SiteDayVisitors } from './site-day-visitors.ts';
import { BoundedCounts } from './tally.ts';

const maxPages = 500;
const maxReferrers = 200;
const maxDevices = 10;
const notApplied = -1;

interface Read {
  readonly stats: SiteDayState | null;
  readonly visitors: ReadVisitors | null;
}

/**
 * The statistics of one site on one UTC day, in the memory of the worker that counts them.
 *
 * The stored record contains exactly the views up to its `applied` position. `add` skips those, and a write succeeds
 * only if `applied` is still the value that was read. So each view counts exactly once, whichever worker writes,
 * however often a batch is counted, and wherever a worker crashed between two writes.
 */
export class SiteDay {
  readonly id: string;
  readonly #scope: Scope;
  readonly #head: Pick<SiteDayState, 'project_id' | 'user_id' | 'day'>;
  readonly #visitors: SiteDayVisitors;
  readonly #recent: RecentMinutes;
  readonly #pages: BoundedCounts;
  readonly #referrers: BoundedCounts;
  readonly #devices: BoundedCounts;
  readonly #breakdown: Breakdown;
  readonly #sums: Pick<SiteDayState, 'views' | 'bots' | 'uniques'>;
  readonly #startsAt: number;
  #applied: number;

  constructor(id: string, scope: Scope, head: Pick<SiteDayState, 'project_id' | 'user_id' | 'day'>, { stats, visitors }: Read) {
    this.id = id;
    this.#scope = scope;
    this.#head = head;
    this.#startsAt = startOfDay(head.day);
    this.#applied = stats?.applied ?? notApplied;
    this.#visitors = new SiteDayVisitors(id, scope, head.day, visitors);
    this.#recent = new RecentMinutes(stats?.recent);
    this.#sums = { views: stats?.views ?? 0, bots: stats?.bots ?? 0, uniques: stats?.uniques ?? 0 };
    this.#pages = new BoundedCounts(maxPages, stats?.pages);
    this.#referrers = new BoundedCounts(maxReferrers, stats?.referrers);
    this.#devices = new BoundedCounts(maxDevices, stats?.devices);
    this.#breakdown = new Breakdown(stats?.breakdown);
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.#visitors.bytes + this.#pages.bytes + this.#referrers.bytes + this.#breakdown.bytes + 2_000;
  }

  /** Counts the view at a stream position, unless it is already included. Positions must not decrease. */
  add(view: View, position: number): void {
    const arrived = view.bot ? 0 : this.#visitors.add(view.visitor, position);
    if (position <= this.#applied) return;
    if (view.bot) {
      this.#sums.bots++;
      return;
    }
    this.#sums.views++;
    this.#pages.add(view.path);
    this.#referrers.add(view.referrer);
    this.#devices.add(view.device);
    this.#recent.add(Math.floor(view.at / minuteMs));
    const hour = Math.floor((view.at - this.#startsAt) / hourMs);
    this.#breakdown.addView({ ...view, page: view.path }, hour, arrived);
  }

  /** Builds the visitors' write, to run before that of the statistics; undefined if there is no new visitor. */
  buildVisitorsWrite(position: number): GuardedWrite<VisitorsState> | undefined {
    return this.#visitors.buildWrite(position);
  }

  /** Builds the write of the statistics for all views up to a position; undefined if they are already included. */
  buildStatsWrite(position: number, site: string, recentVisitors: RecentVisitors): GuardedWrite<SiteDayState> | undefined {
    if (position <= this.#applied) return undefined;
    this.#sums.uniques = Math.max(this.#sums.uniques, this.#visitors.count);
    const [pages, referrers, devices] = [this.#pages, this.#referrers, this.#devices];
    const recent = this.#recent.changes(site, recentVisitors);
    const [scope, _id] = [this.#scope, this.id];
    const sums = { applied: position, ...this.#sums };
    if (this.#applied === notApplied) {
      const breakdown = this.#breakdown.stored;
      const rankings = { pages: pages.ranking, referrers: referrers.ranking, devices: devices.ranking, breakdown };
      return { scope, record: { _id, ...this.#head, ...sums, ...rankings, recent: Object.fromEntries(recent) } };
    }
    const breakdown = this.#breakdown.change;
    const rankings = { pages: pages.change, referrers: referrers.change, devices: devices.change, breakdown };
    const minutes = Object.fromEntries(recent.map(([slot, row]) => [`recent.${slot}`, row]));
    return { scope, filter: { _id, applied: this.#applied }, update: { $set: { ...sums, ...rankings, ...minutes } } };
  }

  /** Call when the visitors are stored up to a position. */
  markVisitorsSaved(position: number): void {
    this.#visitors.markSaved(position);
  }

  /** Call when the statistics are stored up to a position. */
  markStatsSaved(position: number): void {
    for (const counts of [this.#pages, this.#referrers, this.#devices, this.#breakdown]) counts.markSaved();
    this.#recent.markSaved();
    this.#applied = position;
  }
}

/** Views are kept per minute for this many minutes. */
export const realtimeMinutes = 30;

/** The views of a site-day's last 30 minutes, per minute. */
class RecentMinutes {
  readonly #rows: Map<string, RecentMinute>;
  readonly #changed = new Set<string>();
  #newest = 0;

  constructor(rows: Readonly<Record<string, RecentMinute>> = {}) {
    this.#rows = new Map(Object.entries(rows));
    for (const [minute] of this.#rows.values()) this.#newest = Math.max(this.#newest, minute);
  }

  add(minute: number): void {
    const slot = String(minute % realtimeMinutes);
    const row = this.#rows.get(slot);
    if (row !== undefined && row[0] > minute) return;
    const [views, visitors] = row?.[0] === minute ? [row[1], row[2]] : [0, 0];
    this.#rows.set(slot, [minute, views + 1, visitors]);
    this.#changed.add(slot);
    this.#newest = Math.max(this.#newest, minute);
  }

  /** Returns the rows that changed since the last `markSaved`, with their current visitors. */
  changes(site: string, visitors: RecentVisitors): [string, RecentMinute][] {
    for (let minute = this.#newest; minute > this.#newest - presenceMinutes; minute--) {
      const slot = String(minute % realtimeMinutes);
      const row = this.#rows.get(slot);
      const present = visitors.countLastSeenIn(site, minute);
      if (row === undefined || row[0] !== minute || row[2] === present) continue;
      this.#rows.set(slot, [minute, row[1], present]);
      this.#changed.add(slot);
    }
    return [...this.#changed].flatMap((slot) => {
      const row = this.#rows.get(slot);
      return row === undefined ? [] : [[slot, row]];
    });
  }

  markSaved(): void {
    this.#changed.clear();
  }
}
