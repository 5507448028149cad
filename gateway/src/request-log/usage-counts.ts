import type { AnsweredRequest, UsageCount } from '@webkiln/contract';

/** Credentials counted at once; about 3 MB. */
const maxCounted = 20_000;

/** Requests of one day: per API key, and per organization for all its sessions together. */
export class UsageCounts {
  readonly #counts = new Map<string, UsageCount>();

  /** Returns false if the request is not counted because too many credentials are. */
  add({ org_id, kind, credential, status }: AnsweredRequest): boolean {
    const key_id = kind === 'api_key' ? credential : null;
    const counterId = key_id ?? org_id;
    let count = this.#counts.get(counterId);
    if (count === undefined) {
      if (this.#counts.size >= maxCounted) return false;
      count = { org_id, key_id, requests: 0, client_errors: 0, server_errors: 0 };
      this.#counts.set(counterId, count);
    }
    count.requests += 1;
    if (status >= 500) count.server_errors += 1;
    else if (status >= 400) count.client_errors += 1;
    return true;
  }

  /** Returns all counts in parts of at most `maxPartSize`, and starts again from zero. */
  take(maxPartSize: number): UsageCount[][] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return Array.from({ length: Math.ceil(counts.length / maxPartSize) }, (_, part) =>
      counts.slice(part * maxPartSize, (part + 1) * maxPartSize),
    );
  }
}
