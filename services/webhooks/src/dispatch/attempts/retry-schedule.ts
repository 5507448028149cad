const jitter = 0.1;
const retryAfterMostMs = 24 * 3600_000;

/**
 * When the next attempt is due, in epoch milliseconds; undefined after the last one. `made` counts the attempts so far, `endedAt` is the
 * end of the last one. Each wait is its own by up to 10 % (`random` is from 0 to 1), so that what failed together does not come back
 * together; a `Retry-After` that asks for more is heeded, up to a day.
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
  const asked = retryAfter === undefined ? 0 : askedTime(retryAfter, endedAt);
  return Math.round(Math.max(scheduled, Math.min(asked, endedAt + retryAfterMostMs)));
}

/** RFC 9110 §10.2.3: seconds or an HTTP date, as epoch milliseconds; 0 for neither. */
function askedTime(retryAfter: string, now: number): number {
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return now + Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : date;
}
