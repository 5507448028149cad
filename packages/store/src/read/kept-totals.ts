import { Coalescer, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { compiled, type Filter, orgOf, type Scope, tenancyFilter, userOf } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { scoped } from '../scoped.ts';
import { onRecordChange } from '../write/change.ts';

/** A total up to this is counted for every call; that reads at most so many index entries. */
export const maxExactTotal = 1_000;
/** A kept total is counted again in the background when it is older than this, and at most a twentieth of the time. */
const freshMs = 5_000;
const countShare = 20;
/** A total that nobody asked for in so long is counted before it is returned. */
const maxAgeMs = 60_000;
/** Bounds on what is kept: organizations with large lists, and lists of each. */
const maxOrganizations = 1_000;
const maxLists = 100;

type Fields = Readonly<Record<string, unknown>>;

interface KeptTotal {
  readonly filter: Fields;
  count: number;
  /** Time of the monotonic clock, in ms. */
  countedAt: number;
  refreshAt: number;
}

/**
 * The totals of an organization's lists. Up to `maxExactTotal` a total is exact. A larger one is kept: a few seconds
 * old, and corrected by this process's own writes. A large total of a search or a range of time is not counted: it is
 * `maxExactTotal + 1`, which says "more than".
 */
export class KeptTotals<Doc> {
  readonly #model: OrgModel<Doc>;
  readonly #bounded = new Coalescer<number>();
  readonly #whole = new Coalescer<number>();
  readonly #organizations = new LRUCache<string, LRUCache<string, KeptTotal>>({ max: maxOrganizations });

  constructor(model: OrgModel<Doc>) {
    this.#model = model;
    onRecordChange(model, (org_id, before, after) => this.#correct(org_id, before, after));
  }

  async of(scope: Scope, filter: Filter<Stored<Doc>>): Promise<number> {
    const matched: Fields = { ...compiled(filter), ...tenancyFilter(this.#model, scope) };
    const key = JSON.stringify(matched);
    const kept = this.#organizations.get(orgOf(scope))?.get(key);
    const now = performance.now();
    if (kept !== undefined && kept.count > maxExactTotal && now - kept.countedAt < maxAgeMs) {
      if (now >= kept.refreshAt) this.#refresh(key, scope, filter, kept);
      return kept.count;
    }
    const bounded = await this.#bounded.ask(key, () => scoped(this.#model, scope).count(filter, maxExactTotal + 1));
    if (bounded <= maxExactTotal || !isCheapToKeep(matched)) return bounded;
    return this.#whole.ask(key, () => this.#count(key, scope, filter, matched));
  }

  #refresh(key: string, scope: Scope, filter: Filter<Stored<Doc>>, kept: KeptTotal): void {
    kept.refreshAt = Number.POSITIVE_INFINITY;
    this.#count(key, { org_id: orgOf(scope), user_id: userOf(scope) }, filter, kept.filter).catch((err: unknown) => {
      kept.refreshAt = performance.now() + freshMs;
      logger.warn({ err, collection: this.#model.collection }, 'counting a list failed; its last total stands for now');
    });
  }

  async #count(key: string, scope: Scope, filter: Filter<Stored<Doc>>, matched: Fields): Promise<number> {
    const startedAt = performance.now();
    const count = await scoped(this.#model, scope).count(filter);
    const countedAt = performance.now();
    const refreshAt = countedAt + Math.max(freshMs, countShare * (countedAt - startedAt));
    const lists = this.#organizations.get(orgOf(scope)) ?? new LRUCache<string, KeptTotal>({ max: maxLists });
    lists.set(key, { filter: matched, count, countedAt: startedAt, refreshAt });
    this.#organizations.set(orgOf(scope), lists);
    return count;
  }

  #correct(org_id: string, before: Fields | null, after: Fields | null): void {
    for (const kept of this.#organizations.peek(org_id)?.values() ?? []) {
      kept.count += Number(matches(kept.filter, after)) - Number(matches(kept.filter, before));
    }
  }
}

/** True for equal values alone: an organization has few such lists that are large. */
const isCheapToKeep = (matched: Fields) => Object.values(matched).every((condition) => '$eq' in (condition as object));

const matches = (filter: Fields, record: Fields | null): boolean =>
  record !== null && Object.entries(filter).every(([field, condition]) => record[field] === (condition as { $eq: unknown }).$eq);
