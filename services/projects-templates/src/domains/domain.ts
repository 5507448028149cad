import { randomBytes } from 'node:crypto';
import type { SiteDomain } from '@webkiln/contract';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const lifetimeMs = 7 * 24 * hourMs;
/** An active domain is only looked at for whether its project still exists. */
const activeCheckMs = 24 * hourMs;

export type WantedRecord = SiteDomain['dns_records'][number];
type Computed = 'id' | 'type' | 'ssl_status' | 'is_primary';

/** A custom domain that a project claims. Times that clients see are ISO 8601. */
export interface DomainState extends Omit<SiteDomain, Computed> {
  _id: string;
  org_id: string;
  project_id: string;
  /** Checks so far. */
  checks: number;
  /** When it is looked for next, or until when a process does so. Null after it failed. */
  next_check_at: Date | null;
  /** Its place in the quota of its organization. */
  place?: number | null;
}

/** A random text that proves who may change the DNS of a name. */
export const newToken = (): string => `webkiln-site-verification=${randomBytes(20).toString('hex')}`;

/** The state after a check at `now` that found `records`, none of them wanted by another project's domain. */
export function checked(domain: DomainState, records: WantedRecord[], problem: string | null, now: Date): Partial<DomainState> {
  const checks = domain.checks + 1;
  const found = { dns_records: records, error: problem, last_checked_at: now.toISOString(), checks };
  if (problem === null) return { ...found, status: 'active', next_check_at: new Date(now.getTime() + activeCheckMs) };
  if (now.getTime() >= Date.parse(domain.created_at) + lifetimeMs) {
    return {
      ...found,
      status: 'failed',
      error: `${problem} It was looked for over 7 days: check again when it is corrected.`,
      next_check_at: null,
    };
  }
  const waitMs = Math.min(hourMs, minuteMs * 2 ** Math.min(checks - 1, 6));
  const status = records.some(({ ok }) => ok) ? 'verifying' : 'pending';
  return { ...found, status, next_check_at: new Date(now.getTime() + waitMs) };
}

/** The public record. `live` are the names at which its project is live, the primary one first. */
export function toDomain(domain: DomainState, live: readonly string[]): SiteDomain {
  const { _id: id, name, status, dns_records, error, last_checked_at, created_at } = domain;
  const ssl_status = status === 'active' ? 'active' : 'pending';
  return {
    ...{ id, name, type: 'custom', status, ssl_status, is_primary: live[0] === name },
    ...{ dns_records, error, last_checked_at, created_at },
  };
}
