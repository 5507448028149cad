import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { RateLimiter } from './rate-limit.ts';

/** Counts a request against the address it comes from; throws `rate_limited` where that has made too many of its kind. */
export type AddressQuota = (request: IncomingMessage) => Promise<void>;

/** What makes quotas for what is asked without a credential: so many requests of a kind per window and address. */
export const addressQuotas =
  (limiter: RateLimiter, clientAddress: (request: IncomingMessage) => string) =>
  (kind: string, quota: number): AddressQuota =>
  async (request) => {
    const { allowed } = await limiter.take(`${kind}:${clientAddress(request)}`, quota);
    if (!allowed) throw new AppError('rate_limited');
  };
