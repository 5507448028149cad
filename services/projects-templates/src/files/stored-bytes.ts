import type { AppError } from '@webkiln/contract';
import { joinedShareOf } from '@webkiln/messages';
import { joinedShareExceeded, limitOf, type Quota, quotaExceeded } from '@webkiln/org-policy';
import { type Bytes, usedBytes } from './stored-bytes-store.ts';

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

export const storedBytesQuota: Quota = { name: 'stored_bytes', used: async (org_id) => (await usedBytes({ org_id })).used };

/** How much the organization may store, and clients who joined by a link of that. */
export async function storedBytesLimits(org_id: string): Promise<Bytes> {
  const used = await limitOf(org_id, 'stored_bytes');
  return { used, joined: joinedShareOf(used) };
}

/** The error `quota_exceeded` of files that do not fit any more, which says when unused ones are released. */
export const storedBytesExceeded = (limits: Bytes, { used, joined }: Bytes, added: Bytes): AppError =>
  added.joined > 0 && joined + added.joined > limits.joined
    ? joinedShareExceeded('stored_bytes', limits.joined)
    : quotaExceeded('stored_bytes', limits.used, used, ` (files that nothing uses any more are released within ${releaseMinutes} minutes)`);
