import type { GuardedWrite, Scope } from '@webkiln/store';
import type { View } from '../views/view.ts';
import { BoundedCounts } from './bounded-counts.ts';
import { RecentMinutes } from './recent-minutes.ts';
import type { RecentVisitors } from './recent-visitors.ts';
import type { SiteDayState, VisitorsState } from './site-day-store.ts';
import { type ReadVisitors, SiteDayVisitors } from './site-day-visitors.ts';
import { minuteMs } from './utc-day.ts';

const pagesMost = 500;
const referrersMost = 200;
const devicesMost = 10;
const nowhere = -1;

interface Read {
  readonly figures: SiteDayState | null;
  readonly visitors: ReadVisitors | null;
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
  readonly #head: Pick<SiteDayState, 'project_id' | 'user_id' | 'day'>;
  readonly #visitors: SiteDayVisitors;
  readonly #recent: RecentMinutes;
  readonly #pages: BoundedCounts;
  readonly #referrers: BoundedCounts;
  readonly #devices: BoundedCounts;
  readonly #sums: Pick<SiteDayState, 'views' | 'bots' | 'uniques'>;
  #applied: number;

  constructor(id: string, scope: Scope, head: Pick<SiteDayState, 'project_id' | 'user_id' | 'day'>, { figures, visitors }: Read) {
    this.id = id;
    this.#scope = scope;
    this.#head = head;
    this.#applied = figures?.applied ?? nowhere;
    this.#visitors = new SiteDayVisitors(id, scope, head.day, visitors);
    this.#recent = new RecentMinutes(figures?.recent);
    this.#sums = { views: figures?.views ?? 0, bots: figures?.bots ?? 0, uniques: figures?.uniques ?? 0 };
    this.#pages = new BoundedCounts(pagesMost, figures?.pages);
    this.#referrers = new BoundedCounts(referrersMost, figures?.referrers);
    this.#devices = new BoundedCounts(devicesMost, figures?.devices);
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return this.#visitors.bytes + this.#pages.bytes + this.#referrers.bytes + 2_000;
  }

  /** Counts a view that stands at a position of the stream, where it is not in yet. Positions never go back. */
  add(view: View, position: number): void {
    if (!view.bot) this.#visitors.add(view.visitor, position);
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
  }

  /** What to write of the visitors when all views up to a position are added; undefined where nobody is new. It comes before the figures. */
  visitorsWrite(position: number): GuardedWrite<VisitorsState> | undefined {
    return this.#visitors.write(position);
  }

  /** What to write of the figures when all views up to a position are added; undefined where they are in already. */
  figuresWrite(position: number, site: string, there: RecentVisitors): GuardedWrite<SiteDayState> | undefined {
    if (position <= this.#applied) return undefined;
    this.#sums.uniques = Math.max(this.#sums.uniques, this.#visitors.count);
    const [pages, referrers, devices] = [this.#pages, this.#referrers, this.#devices];
    const recent = this.#recent.changes(site, there);
    const [scope, _id] = [this.#scope, this.id];
    const sums = { applied: position, ...this.#sums };
    if (this.#applied === nowhere) {
      const rankings = { pages: pages.ranking, referrers: referrers.ranking, devices: devices.ranking };
      return { scope, record: { _id, ...this.#head, ...sums, ...rankings, recent: Object.fromEntries(recent) } };
    }
    const rankings = { pages: pages.change, referrers: referrers.change, devices: devices.change };
    const minutes = Object.fromEntries(recent.map(([slot, row]) => [`recent.${slot}`, row]));
    return { scope, filter: { _id, applied: this.#applied }, update: { $set: { ...sums, ...rankings, ...minutes } } };
  }

  /** The visitors stand in the store up to a position. */
  visitorsSettled(position: number): void {
    this.#visitors.settled(position);
  }

  /** The figures stand in the store up to a position. */
  figuresSettled(position: number): void {
    for (const counts of [this.#pages, this.#referrers, this.#devices]) counts.settle();
    this.#recent.settle();
    this.#applied = position;
  }
}
