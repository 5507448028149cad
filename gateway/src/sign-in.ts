import type { RequestHandler } from 'express';
import type { AddressQuota } from './address-quota.ts';
import type { HttpProxy } from './http-proxy.ts';

interface Parts {
  readonly identity: HttpProxy;
  readonly countRequest: AddressQuota;
}

/** Passes sign-up, sign-in and what belongs to it through to identity, as many requests as an address may make that has no credential. */
export const signIn =
  ({ identity, countRequest }: Parts): RequestHandler =>
  async (request, response) => {
    await countRequest(request);
    request.url = request.originalUrl;
    identity.handle(request, response);
  };
