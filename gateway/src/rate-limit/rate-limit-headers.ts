import type { ErrorCode } from '@webkiln/contract';
import type { RateLimitState } from './local-limiter.ts';

const dayMs = 86_400_000;

/** Whole seconds, for headers. */
export const seconds = (ms: number) => Math.ceil(ms / 1000);

/** Names and values, one after the other. */
export function rateLimitHeaders(state: RateLimitState, windowSeconds: number): string[] {
  const limit = String(state.limit);
  const reset = String(seconds(state.resetMs));
  const remaining = String(Math.max(0, state.remaining));
  return [
    ...['RateLimit-Policy', `"v1";q=${limit};w=${windowSeconds}`, 'RateLimit', `"v1";r=${remaining};t=${reset}`],
    ...['X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', remaining, 'X-RateLimit-Reset', reset],
  ];
}

/** Seconds after a 429 until the next request may pass. */
export function retryAfter(code: ErrorCode, state: RateLimitState | undefined): number {
  if (code === 'rate_limited') return seconds(state?.resetMs ?? 1000);
  return code === 'daily_messages_reached' ? seconds(dayMs - (Date.now() % dayMs)) : 1;
}
