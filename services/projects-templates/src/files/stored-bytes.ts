import type { AppError } from '@webkiln/contract';
import { type Quota, quotaExceeded } from '@webkiln/org-policy';
import { usedBytes } from './stored-bytes-store.ts';

export const sweepsPerGracePeriod = 10;
const minuteMs = 60_000;
let releaseMinutes = 0;

/**
 * Sets the time that refusals name, at start. An unused file waits for a grace period and a sweep twice: for the list
 * that names it, and itself.
 */
export function expectRelease(graceMs: number): void {
  releaseMinutes = Math.ceil((2 * graceMs * (1 + 1 / sweepsPerGracePeriod)) / minuteMs);
}

export const storedBytesQuota: Quota = { name: 'stored_bytes', used: (org_id) => usedBytes({ org_id }) };

/** The error `quota_exceeded` of files beyond `stored_bytes`, which says when unused ones are released. */
export const storedBytesExceeded = (limit: number, used: number): AppError =>
  quotaExceeded('stored_bytes', limit, used, ` (files that nothing uses any more are released within ${releaseMinutes} minutes)`);
