import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { RateLimiter } from './rate-limiter.ts';
import type { SlowedRefusals } from './slowed-refusals.ts';

/** Counts a request against its client address. Throws `rate_limited` beyond the quota. */
export type AddressQuota = (request: IncomingMessage) => Promise<void>;

/** Creates quotas for requests without a credential: `quota` requests of one kind per window and client address. */
export const addressQuotas =
  (limiter: RateLimiter, slowedRefusals: SlowedRefusals, clientAddress: (request: IncomingMessage) => string) =>
  (kind: string, quota: number): AddressQuota =>
  async (request) => {
    const caller = `${kind}:${clientAddress(request)}`;
    const { allowed } = await limiter.consume(caller, quota);
    if (allowed) return;
    await slowedRefusals.wait(caller);
    throw new AppError('rate_limited');
  };
