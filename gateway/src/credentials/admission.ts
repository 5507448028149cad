import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { Exchange } from '../api/response-writer.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { assertAllowedOrigin, authenticate } from './authenticate.ts';
import type { CredentialCache } from './credential-cache.ts';
import type { KeyUse } from './key-use.ts';
import { addressKey, LookupGuard } from './lookup-guard.ts';
import type { ActiveCredential } from './recent-credentials.ts';

interface Parts {
  readonly keys: CredentialCache;
  readonly sessions: CredentialCache;
  readonly keyUse: KeyUse;
  readonly limiter: RateLimiter;
  /** Requests per window of a key without a quota of its own, and of an address without a credential. */
  readonly quota: number;
  /** Requests per window of a session. */
  readonly sessionQuota: number;
  readonly origin: string;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** Admits requests to the API: authenticates, applies the rate limit, checks the origin. */
export class Admission {
  readonly #parts: Parts;
  readonly #lookups: LookupGuard;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lookups = new LookupGuard(parts.limiter);
  }

  /** Returns the request's credential. Requests without a valid one count against their address. */
  async admit(exchange: Exchange): Promise<ActiveCredential> {
    const { limiter, keyUse, quota, sessionQuota, origin } = this.#parts;
    let credential: ActiveCredential;
    try {
      credential = await authenticate(exchange.request, this.#parts, (lookUp) => this.#lookups.run(this.#networkOf(exchange), lookUp));
    } catch (error) {
      await this.consumeAddressQuota(exchange);
      throw error;
    }
    const { kind, credential_id } = credential.principal;
    const isSession = kind === 'session';
    exchange.principal = credential.principal;
    exchange.rateLimitState = await limiter.consume(credential_id, isSession ? sessionQuota : (credential.rateLimit ?? quota));
    if (!exchange.rateLimitState.allowed) throw new AppError('rate_limited');
    if (!isSession) keyUse.record(credential);
    assertAllowedOrigin(exchange.request, credential, origin);
    return credential;
  }

  /** For requests that need no credential. Throws `rate_limited`. */
  async consumeAddressQuota(exchange: Exchange): Promise<void> {
    exchange.rateLimitState = await this.#parts.limiter.consume(this.#addressOf(exchange), this.#parts.quota);
    if (!exchange.rateLimitState.allowed) throw new AppError('rate_limited');
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
