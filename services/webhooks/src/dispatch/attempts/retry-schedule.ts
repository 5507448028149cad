const jitter = 0.1;
const maxRetryAfterMs = 24 * 3600_000;

/**
 * When the next attempt is due, in epoch milliseconds; undefined after the last one. `made` counts the attempts so far,
 * `endedAt` is the end of the last one. Waits vary by ±10 % (`random` is from 0 to 1), so that deliveries that failed
 * together are not retried together. A longer `Retry-After` is respected, up to a day.
 */
export function nextAttemptAt(
  waitsMs: readonly number[],
  made: number,
  endedAt: number,
  retryAfter: string | undefined,
  random = Math.random(),
): number | undefined {
  const wait = waitsMs[made - 1];
  if (wait === undefined) return undefined;
  const scheduled = endedAt + wait * (1 - jitter + 2 * jitter * random);
  const requested = retryAfter === undefined ? 0 : retryAfterTime(retryAfter, endedAt);
  return Math.round(Math.max(scheduled, Math.min(requested, endedAt + maxRetryAfterMs)));
}

/** RFC 9110 §10.2.3: seconds or an HTTP date. Returns epoch milliseconds, 0 for anything else. */
function retryAfterTime(retryAfter: string, now: number): number {
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return now + Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : date;
}
