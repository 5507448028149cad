import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { RequestHandler } from 'express';
import type { HttpProxy } from './http-proxy.ts';
import type { RateLimiter } from './rate-limit.ts';

interface Parts {
  readonly identity: HttpProxy;
  readonly limiter: RateLimiter;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Requests per window and address. */
  readonly quota: number;
}

/** Passes sign-up, sign-in and what belongs to it through to identity, as many requests as an address may make that has no credential. */
export const signIn =
  ({ identity, limiter, clientAddress, quota }: Parts): RequestHandler =>
  async (request, response) => {
    const { allowed } = await limiter.take(`sign-in:${clientAddress(request)}`, quota);
    if (!allowed) throw new AppError('rate_limited');
    request.url = request.originalUrl;
    identity.handle(request, response);
  };
