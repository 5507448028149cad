import { randomBytes } from 'node:crypto';
import type { SiteDomain } from '@webkiln/contract';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const lifetimeMs = 7 * 24 * hourMs;
const activeCheckMs = 24 * hourMs;
/** An active domain whose proof is missing for so long is not live any more. */
export const maxUnprovenMs = 3 * 24 * hourMs;

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
  /** Since when the proof of an active domain is missing; null while it is there. */
  unproven_since?: string | null;
  /** Since when it is looked for, if it was active before; otherwise it is since `created_at`. */
  sought_since?: string | null;
  /** Its place in the quota of its organization. */
  place?: number | null;
  /** Its place in the share of clients who joined by a link, for projects of theirs. */
  joined_place?: number | null;
}

/** A random text that proves who may change the DNS of a name. */
export const newToken = (): string => `webkiln-site-verification=${randomBytes(20).toString('hex')}`;

/** The state after a check at `now` that found `records`, none of them wanted by another project's domain. */
export function checked(domain: DomainState, records: WantedRecord[], problem: string | null, now: Date): Partial<DomainState> {
  const checks = domain.checks + 1;
  const found = { dns_records: records, error: problem, last_checked_at: now.toISOString(), checks };
  if (problem === null) return { ...found, status: 'active', unproven_since: null, next_check_at: new Date(now.getTime() + activeCheckMs) };
  if (now.getTime() >= Date.parse(domain.sought_since ?? domain.created_at) + lifetimeMs) {
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

/** The state of an active domain after a check of its proof; undefined if it could not be looked up. */
export function provenAgain(domain: DomainState, isProven: boolean | undefined, records: WantedRecord[], now: Date): Partial<DomainState> {
  const looked = { checks: domain.checks + 1, last_checked_at: now.toISOString() };
  if (isProven) return { ...checked(domain, records, null, now), error: null };
  const soon = new Date(now.getTime() + hourMs);
  if (isProven === undefined) return { ...looked, next_check_at: soon };
  const since = domain.unproven_since ?? now.toISOString();
  const until = new Date(Date.parse(since) + maxUnprovenMs);
  if (now >= until)
    return lost(domain, records, 'The TXT record was missing for 3 days, so the site is not live here any more: add it again.', now);
  const error = `The TXT record is missing: add it again before ${until.toISOString()}, or the site is not live here any more.`;
  return { ...looked, dns_records: records, error, unproven_since: since, next_check_at: soon };
}

/** The state of an active domain that is not its project's any more. It is looked for again as a new one is. */
export function lost(domain: DomainState, dns_records: WantedRecord[], error: string, now: Date): Partial<DomainState> {
  const times = { unproven_since: null, sought_since: now.toISOString(), next_check_at: new Date(now.getTime() + hourMs) };
  return { status: 'verifying', dns_records, error, last_checked_at: now.toISOString(), checks: domain.checks + 1, ...times };
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
