import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { markStale } from '../rollups/org-day-store.ts';
import type { RecentVisitors } from '../rollups/recent-visitors.ts';
import { SiteDay } from '../rollups/site-day.ts';
import { loadSiteDay, loadVisitors, saveSiteDays, saveVisitors } from '../rollups/site-day-store.ts';
import { toUtcDay, type View } from '../views/view.ts';

const maxAttempts = 10;
const maxCachedBytes = 64 * 1024 ** 2;

/** A view to count, with its position on the stream. */
export interface PositionedView {
  readonly view: View;
  readonly position: number;
}

interface Group {
  readonly owner: SiteOwner;
  readonly site: string;
  readonly day: string;
  readonly views: PositionedView[];
}

/** Folds views into site-days and saves them. */
export class Fold {
  readonly #owners: Pick<SiteOwners, 'getOwner'>;
  readonly #siteDays = new LRUCache<string, SiteDay>({ maxSize: maxCachedBytes, sizeCalculation: ({ bytes }) => bytes });

  constructor(owners: Pick<SiteOwners, 'getOwner'>) {
    this.#owners = owners;
  }

  /**
   * Counts views of one partition, in stream order; `position` is that of the last message read. When this resolves,
   * every affected record contains each view exactly once, even if another worker counted some of them before. May be
   * repeated after a failure.
   */
  async fold(views: readonly PositionedView[], position: number, recentVisitors: RecentVisitors): Promise<void> {
    const groups = await this.#groups(views);
    try {
      for (let attempt = 1; !(await this.#write(groups, position, recentVisitors)); attempt++) {
        if (attempt === maxAttempts) throw new AppError('overloaded');
        this.#evict(groups);
      }
    } catch (error) {
      this.#evict(groups);
      throw error;
    }
    await markClosed(groups.values());
  }

  async #groups(views: readonly PositionedView[]): Promise<ReadonlyMap<string, Group>> {
    const names = [...new Set(views.map(({ view }) => view.site))];
    const owners = new Map(await Promise.all(names.map(async (name) => [name, await this.#owners.getOwner(name)] as const)));
    const groups = new Map<string, Group>();
    for (const counted of views) {
      const { site, at } = counted.view;
      const owner = owners.get(site);
      if (owner === null || owner === undefined) continue;
      const day = toUtcDay(at);
      const id = `${owner.project_id}/${day}`;
      const group = groups.get(id);
      if (group === undefined) groups.set(id, { owner, site, day, views: [counted] });
      else group.views.push(counted);
    }
    return groups;
  }

  /**
   * Returns false if a record differs from the cached one. Visitors are saved first; if the statistics then fail, the
   * next fold makes up for it.
   */
  async #write(groups: ReadonlyMap<string, Group>, position: number, recentVisitors: RecentVisitors): Promise<boolean> {
    const touched = await Promise.all([...groups].map(async ([id, group]) => ({ group, siteDay: await this.#siteDay(id, group) })));
    for (const { group, siteDay } of touched) for (const counted of group.views) siteDay.add(counted.view, counted.position);
    const visitors = touched.flatMap(({ siteDay }) => siteDay.buildVisitorsWrite(position) ?? []);
    if (!(await saveVisitors(visitors))) return false;
    for (const { siteDay } of touched) siteDay.markVisitorsSaved(position);
    const stats = touched.flatMap(({ group, siteDay }) => siteDay.buildStatsWrite(position, group.site, recentVisitors) ?? []);
    if (!(await saveSiteDays(stats))) return false;
    for (const { siteDay } of touched) {
      siteDay.markStatsSaved(position);
      this.#siteDays.set(siteDay.id, siteDay);
    }
    return true;
  }

  async #siteDay(id: string, { owner, day }: Group): Promise<SiteDay> {
    const known = this.#siteDays.get(id);
    if (known !== undefined) return known;
    const { org_id, project_id, user_id } = owner;
    const [stats, visitors] = await Promise.all([loadSiteDay({ org_id }, id), loadVisitors({ org_id }, id)]);
    return new SiteDay(id, { org_id }, { project_id, user_id, day }, { stats, visitors });
  }

  #evict(groups: ReadonlyMap<string, Group>): void {
    for (const id of groups.keys()) this.#siteDays.delete(id);
  }
}

/**
 * Past days may already be summed up; marks them for recomputation. Reads the clock after the write, so that no
 * midnight falls in between.
 */
async function markClosed(groups: Iterable<Group>): Promise<void> {
  const today = toUtcDay(Date.now());
  const past = new Map<string, Set<string>>();
  for (const { owner, day } of groups) {
    if (day >= today) continue;
    const days = past.get(owner.org_id) ?? new Set();
    past.set(owner.org_id, days.add(day));
  }
  await Promise.all([...past].map(([org_id, days]) => markStale({ org_id }, [...days])));
}

const lookupTimeoutMs = 5_000;
const maxCached = 20_000;
const publishedTtlMs = 60_000;
/** An unused name may be taken at any time. */
const unpublishedTtlMs = 1_000;

const analytics = servicePrincipal('analytics', '');

/** The owner of a site. */
export interface SiteOwner {
  readonly org_id: string;
  readonly project_id: string;
  /** The user who owns the project. A client's user sees only their own projects. */
  readonly user_id: string;
}

/** A cache of the owners of site names. Call `invalidate` when a site changes. */
export class SiteOwners {
  readonly #lookups = new Map<string, symbol>();
  readonly #owners = new LRUCache<string, { readonly owner: SiteOwner | null }>(growingTo(maxCached));

  /** Returns null if nothing is published under the name. Throws if the lookup fails. */
  async getOwner(name: string): Promise<SiteOwner | null> {
    const known = this.#owners.get(name);
    if (known !== undefined) return known.owner;
    const lookup = Symbol(name);
    this.#lookups.set(name, lookup);
    try {
      const { found, org_id, project_id, user_id } = await call(
        'sites.IdentifySite',
        { name },
        callerFor(analytics, { timeoutMs: lookupTimeoutMs }),
      );
      const owner = found ? { org_id, project_id, user_id } : null;
      // Unless invalidated while the call was in flight: then the answer may be outdated.
      if (this.#lookups.get(name) === lookup) this.#owners.set(name, { owner }, { ttl: found ? publishedTtlMs : unpublishedTtlMs });
      return owner;
    } finally {
      if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
    }
  }

  invalidate(name: string): void {
    this.#lookups.delete(name);
    this.#owners.delete(name);
  }
}
