import type { AnsweredRequest, UsageCount } from '@webkiln/contract';

/** Of credentials that are counted at once, some 3 MB. */
const countedMost = 20_000;

/** How often each key asked on one day, and together whoever was signed in, by organization. */
export class UsageCounts {
  readonly #counts = new Map<string, UsageCount>();

  /** Counts a request; false where that would take too much memory. */
  add({ org_id, kind, credential, status }: AnsweredRequest): boolean {
    const key_id = kind === 'api_key' ? credential : null;
    const counted = key_id ?? org_id;
    let count = this.#counts.get(counted);
    if (count === undefined) {
      if (this.#counts.size >= countedMost) return false;
      count = { org_id, key_id, requests: 0, client_errors: 0, server_errors: 0 };
      this.#counts.set(counted, count);
    }
    count.requests += 1;
    if (status >= 500) count.server_errors += 1;
    else if (status >= 400) count.client_errors += 1;
    return true;
  }

  /** All that was counted, in parts of so many at most; counting begins anew. */
  take(most: number): UsageCount[][] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return Array.from({ length: Math.ceil(counts.length / most) }, (_, part) => counts.slice(part * most, (part + 1) * most));
  }
}
