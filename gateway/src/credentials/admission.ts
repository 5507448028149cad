import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import { oauthResourcePaths, quotas } from '@webkiln/messages';
import type { Exchange } from '../api/exchange.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import type { SlowedRefusals } from '../rate-limit/slowed-refusals.ts';
import { assertAllowedOrigin, assertIssuedFor, authenticate } from './authenticate.ts';
import type { CredentialUse } from './credential-use.ts';
import { addressKey, LookupGuard } from './lookup-guard.ts';
import type { CredentialCaches } from './open-credential-caches.ts';
import type { ActiveCredential } from './recent-credentials.ts';

interface Parts {
  readonly caches: CredentialCaches;
  readonly credentialUse: CredentialUse;
  readonly limiter: RateLimiter;
  readonly slowedRefusals: SlowedRefusals;
  /** Requests per window of a key without a quota of its own, and of an address without a credential. */
  readonly quota: number;
  /** Requests per window of a session. */
  readonly sessionQuota: number;
  /** Requests per window over all credentials of an organization. */
  readonly organizationQuota: number;
  readonly origin: string;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** The refusal of a shared quota. */
export const requestsExceeded = (limit: number) => ({
  path: 'requests',
  message: `the credentials of your organization may send ${limit} ${quotas.requests.unit} together; wait for the seconds that Retry-After gives, or ask the operator of this platform for more`,
});

/** Admits requests to the API: authenticates, applies the rate limit, checks the origin. */
export class Admission {
  readonly #parts: Parts;
  readonly #lookups: LookupGuard;
  /** Those of tokens that the API accepts. */
  readonly #resources: readonly string[];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lookups = new LookupGuard(parts.limiter);
    this.#resources = oauthResourcePaths.map((path) => parts.origin + path);
  }

  /** Returns the request's credential. Requests without a valid one count against their address. */
  async admit(exchange: Exchange): Promise<ActiveCredential> {
    const { caches, credentialUse, origin } = this.#parts;
    let credential: ActiveCredential;
    try {
      credential = await authenticate(exchange.request, caches, (lookUp) => this.#lookups.run(this.#networkOf(exchange), lookUp));
      assertIssuedFor(this.#resources, credential);
    } catch (error) {
      await this.consumeAddressQuota(exchange);
      throw error;
    }
    exchange.principal = credential.principal;
    await this.#consumeQuota(exchange, credential);
    credentialUse.record(credential);
    assertAllowedOrigin(exchange.request, credential, origin);
    return credential;
  }

  async #consumeQuota(exchange: Exchange, credential: ActiveCredential): Promise<void> {
    const { limiter, slowedRefusals, quota, sessionQuota } = this.#parts;
    const { principal, rateLimit } = credential;
    const { kind, credential_id, org_id } = principal;
    const limit = this.organizationLimit(credential);
    const shared = org_id === '' ? undefined : { key: `organization:${org_id}`, quota: limit };
    const state = await limiter.consume(credential_id, kind === 'session' ? sessionQuota : (rateLimit ?? quota), shared);
    exchange.rateLimitState = state;
    if (state.allowed) return;
    await slowedRefusals.wait(credential_id);
    throw new AppError('rate_limited', state.isShared ? [requestsExceeded(limit)] : []);
  }

  /**
   * Requests per window over all credentials of its organization. Keys with a quota of their own raise it, unless an
   * operator has set it.
   */
  organizationLimit({ rateLimit, requestsLimit }: ActiveCredential): number {
    return requestsLimit ?? Math.max(this.#parts.organizationQuota, rateLimit ?? 0);
  }

  /** For requests that need no credential. Throws `rate_limited`. */
  async consumeAddressQuota(exchange: Exchange): Promise<void> {
    const address = this.#addressOf(exchange);
    exchange.rateLimitState = await this.#parts.limiter.consume(address, this.#parts.quota);
    if (exchange.rateLimitState.allowed) return;
    await this.#parts.slowedRefusals.wait(address);
    throw new AppError('rate_limited');
  }

  /** Sets the address's rate limit headers without counting the request. */
  async peekAddressQuota(exchange: Exchange): Promise<void> {
    exchange.rateLimitState = await this.#parts.limiter.peek(this.#addressOf(exchange), this.#parts.quota);
  }

  #networkOf({ request }: Exchange): string {
    return this.#parts.clientAddress(request);
  }

  #addressOf(exchange: Exchange): string {
    return addressKey(this.#networkOf(exchange));
  }
}
