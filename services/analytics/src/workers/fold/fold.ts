import { AppError } from '@webkiln/contract';
import { LRUCache } from 'lru-cache';
import { markStale } from '../rollups/org-day-store.ts';
import type { RecentVisitors } from '../rollups/recent-visitors.ts';
import { SiteDay } from '../rollups/site-day.ts';
import { saveSiteDays, saveVisitors, siteDayById, visitorsById } from '../rollups/site-day-store.ts';
import { dayOf } from '../rollups/utc-day.ts';
import type { View } from '../views/view.ts';
import type { SiteOwner, SiteOwners } from './site-owners.ts';

const attemptsMost = 10;
const cachedBytes = 64 * 1024 ** 2;

/** A view that counts, and where it stands on the stream. */
export interface CountedView {
  readonly view: View;
  readonly position: number;
}

interface Group {
  readonly owner: SiteOwner;
  readonly site: string;
  readonly day: string;
  readonly views: CountedView[];
}

/** Brings views into the site-days that they belong to, and those into the store. */
export class Fold {
  readonly #owners: Pick<SiteOwners, 'ownerOf'>;
  readonly #siteDays = new LRUCache<string, SiteDay>({ maxSize: cachedBytes, sizeCalculation: ({ bytes }) => bytes });

  constructor(owners: Pick<SiteOwners, 'ownerOf'>) {
    this.#owners = owners;
  }

  /**
   * Counts views of one partition, in the stream's order; `position` is that of the last message. When this resolves, every record that they
   * touch holds them all, each once, whoever else counted some of them before. May be repeated after a failure.
   */
  async fold(views: readonly CountedView[], position: number, there: RecentVisitors): Promise<void> {
    const groups = await this.#groups(views);
    try {
      for (let attempt = 1; !(await this.#write(groups, position, there)); attempt++) {
        if (attempt === attemptsMost) throw new AppError('overloaded');
        this.#forget(groups);
      }
    } catch (error) {
      this.#forget(groups);
      throw error;
    }
    await markClosed(groups.values());
  }

  async #groups(views: readonly CountedView[]): Promise<ReadonlyMap<string, Group>> {
    const names = [...new Set(views.map(({ view }) => view.site))];
    const owners = new Map(await Promise.all(names.map(async (name) => [name, await this.#owners.ownerOf(name)] as const)));
    const groups = new Map<string, Group>();
    for (const counted of views) {
      const { site, at } = counted.view;
      const owner = owners.get(site);
      if (owner === null || owner === undefined) continue;
      const day = dayOf(at);
      const id = `${owner.project_id}/${day}`;
      const group = groups.get(id);
      if (group === undefined) groups.set(id, { owner, site, day, views: [counted] });
      else group.views.push(counted);
    }
    return groups;
  }

  /** False where a record is not as this process remembers it. Visitors come first: what is behind them is made up for by the next fold. */
  async #write(groups: ReadonlyMap<string, Group>, position: number, there: RecentVisitors): Promise<boolean> {
    const touched = await Promise.all([...groups].map(async ([id, group]) => ({ group, siteDay: await this.#siteDay(id, group) })));
    for (const { group, siteDay } of touched) for (const counted of group.views) siteDay.add(counted.view, counted.position);
    const visitors = touched.flatMap(({ siteDay }) => siteDay.visitorsWrite(position) ?? []);
    if (!(await saveVisitors(visitors))) return false;
    for (const { siteDay } of touched) siteDay.visitorsSettled(position);
    const figures = touched.flatMap(({ group, siteDay }) => siteDay.figuresWrite(position, group.site, there) ?? []);
    if (!(await saveSiteDays(figures))) return false;
    for (const { siteDay } of touched) {
      siteDay.figuresSettled(position);
      this.#siteDays.set(siteDay.id, siteDay);
    }
    return true;
  }

  async #siteDay(id: string, { owner, day }: Group): Promise<SiteDay> {
    const known = this.#siteDays.get(id);
    if (known !== undefined) return known;
    const { org_id, project_id, user_id } = owner;
    const [figures, visitors] = await Promise.all([siteDayById({ org_id }, id), visitorsById({ org_id }, id)]);
    return new SiteDay(id, { org_id }, { project_id, user_id, day }, { figures, visitors });
  }

  #forget(groups: ReadonlyMap<string, Group>): void {
    for (const id of groups.keys()) this.#siteDays.delete(id);
  }
}

/** Days that are over have been summed up, perhaps: that is to be done again. Asked for after the write, so that no midnight falls between. */
async function markClosed(groups: Iterable<Group>): Promise<void> {
  const today = dayOf(Date.now());
  const past = new Map<string, Set<string>>();
  for (const { owner, day } of groups) {
    if (day >= today) continue;
    const days = past.get(owner.org_id) ?? new Set();
    past.set(owner.org_id, days.add(day));
  }
  await Promise.all([...past].map(([org_id, days]) => markStale({ org_id }, [...days])));
}
