import type { IncomingMessage, RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import { joinedShareOf, quotas } from '@webkiln/messages';
import type { Exchange } from '../api/exchange.ts';
import type { Credential } from './credential-cache.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Refusals of one caller that are answered at once, in each second. */
const promptPerSecond = 20;
const delayMs = 1000;
/** So many refusals wait in this process; further ones are answered at once. */
const maxWaiting = 5000;

interface Parts {
  readonly limiter: RateLimiter;
  readonly slowedRefusals: SlowedRefusals;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Requests per window of a credential without a quota of its own, and of an address without a credential. */
  readonly quota: number;
  /** Requests per window of a session. */
  readonly sessionQuota: number;
  /** Requests per window over all credentials of an organization. */
  readonly organizationQuota: number;
}

/** Counts a request against its client address. Throws `rate_limited` beyond the quota. */
export type AddressQuota = (request: IncomingMessage) => Promise<void>;

/** The key under which the rate limit counts a network's requests without a valid credential. */
export const addressKey = (network: string): string => `address:${network}`;

/** Counts requests against the quotas of their credential, organization or client address, and slows refusals. */
export class Quotas {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Counts a request of a credential, and of its organization, or of its share of clients who joined by a link, which
   * leave the organization's own requests to it. Throws `rate_limited`.
   */
  async consume(exchange: Exchange, credential: Credential): Promise<void> {
    const { limiter, slowedRefusals } = this.#parts;
    const { credential_id, org_id } = credential.principal;
    const { joinedByLink = false } = credential;
    const ofOrganization = this.organizationLimit(credential);
    const limit = joinedByLink ? joinedShareOf(ofOrganization) : ofOrganization;
    const shared = org_id === '' ? undefined : { key: `${joinedByLink ? 'joined' : 'organization'}:${org_id}`, quota: limit };
    const state = await limiter.consume(credential_id, this.#ownLimit(credential), shared);
    exchange.rateLimitState = state;
    if (state.allowed) return;
    await slowedRefusals.wait(credential_id);
    throw new AppError('rate_limited', state.isShared ? [joinedByLink ? joinedExceeded(limit) : requestsExceeded(limit)] : []);
  }

  #ownLimit({ principal: { kind }, rateLimit, keyRateLimit }: Credential): number {
    const { quota, sessionQuota } = this.#parts;
    if (kind === 'session') return sessionQuota;
    const limit = rateLimit ?? quota;
    return keyRateLimit === undefined ? limit : Math.min(keyRateLimit, limit);
  }

  /**
   * Requests per window over all credentials of an organization. Keys with a quota of their own raise it, unless an
   * operator has set it.
   */
  organizationLimit({ rateLimit, requestsLimit }: Credential): number {
    return requestsLimit ?? Math.max(this.#parts.organizationQuota, rateLimit ?? 0);
  }

  /** Counts a request without a valid credential. Throws `rate_limited`. */
  async consumeAddress(exchange: Exchange): Promise<void> {
    const address = this.#addressOf(exchange);
    exchange.rateLimitState = await this.#parts.limiter.consume(address, this.#parts.quota);
    if (exchange.rateLimitState.allowed) return;
    await this.#parts.slowedRefusals.wait(address);
    throw new AppError('rate_limited');
  }

  /** Sets the address's rate limit headers without counting the request. */
  async peekAddress(exchange: Exchange): Promise<void> {
    exchange.rateLimitState = await this.#parts.limiter.peek(this.#addressOf(exchange), this.#parts.quota);
  }

  /** Creates a quota for one kind of requests without a credential: `quota` per window and client address. */
  perAddress(kind: string, quota = this.#parts.quota): AddressQuota {
    const { limiter, slowedRefusals, clientAddress } = this.#parts;
    return async (request) => {
      const caller = `${kind}:${clientAddress(request)}`;
      const { allowed } = await limiter.consume(caller, quota);
      if (allowed) return;
      await slowedRefusals.wait(caller);
      throw new AppError('rate_limited');
    };
  }

  #addressOf({ request }: Exchange): string {
    return addressKey(this.#parts.clientAddress(request));
  }
}

/**
 * Bounds the lookups of names at which no site is, per client network and window. Names that are known are served from
 * memory and never refused.
 */
export class UnknownNames {
  readonly #limiter: Pick<RateLimiter, 'consume' | 'isRefused'>;
  readonly #quota: number;
  readonly #refusals: SlowedRefusals;

  constructor(limiter: Pick<RateLimiter, 'consume' | 'isRefused'>, quota: number, refusals = new SlowedRefusals()) {
    this.#limiter = limiter;
    this.#quota = quota;
    this.#refusals = refusals;
  }

  /** True while a network may have no further name looked up. */
  isRefused(network: string): boolean {
    return this.#limiter.isRefused(keyOf(network));
  }

  /** Counts a name without a site. Resolves when it is to be answered: late, if its network asks on though refused. */
  async count(network: string): Promise<void> {
    if (this.isRefused(network)) await this.#refusals.wait(network);
    else void this.#limiter.consume(keyOf(network), this.#quota);
  }
}

const keyOf = (network: string) => `unknown-name:${network}`;

const requestsExceeded = (limit: number) => ({
  path: 'requests',
  message: `the credentials of your organization may send ${limit} ${quotas.requests.unit} together; wait for the seconds that Retry-After gives, or ask the operator of this platform for more`,
});

const joinedExceeded = (limit: number) => ({
  path: 'requests',
  message: `clients who joined by a link may send ${limit} ${quotas.requests.unit} together; wait for the seconds that Retry-After gives`,
});

/**
 * Slows callers that send on although they are refused (a tarpit): each of their connections then costs one cheap
 * refusal a second, instead of as many as this process can answer. Who obeys Retry-After never notices.
 */
export class SlowedRefusals {
  /** Refusals in the current second, by caller. */
  readonly #refusals = new Map<string, number>();
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #second = 0;
  #waiting = 0;

  constructor(now = () => performance.now(), sleep: (ms: number) => Promise<void> = (ms) => pause(ms)) {
    this.#now = now;
    this.#pause = sleep;
  }

  /** Resolves when the refusal of a caller (a credential or an address) is to be answered. */
  async wait(caller: string): Promise<void> {
    this.count(caller);
    await this.hold(caller);
  }

  /** Counts a refusal. */
  count(caller: string): void {
    const refusals = this.#ofThisSecond();
    refusals.set(caller, (refusals.get(caller) ?? 0) + 1);
  }

  /** Resolves after the delay if many requests of the caller were refused this second. */
  async hold(caller: string): Promise<void> {
    const refusals = this.#ofThisSecond().get(caller) ?? 0;
    if (refusals <= promptPerSecond || this.#waiting >= maxWaiting) return;
    this.#waiting++;
    await this.#pause(delayMs);
    this.#waiting--;
  }

  #ofThisSecond(): Map<string, number> {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) this.#refusals.clear();
    this.#second = second;
    return this.#refusals;
  }
}

/**
 * Holds back forms to a site while many of its forms are refused with 429, from whatever addresses they come: a flood
 * must not cost as many refusals as the site's service can make. Other requests pass.
 */
export function slowRefusedForms(refusals: SlowedRefusals, handle: RequestListener): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST') return void handle(request, response);
    const site = `forms of ${request.headers.host?.toLowerCase()}`;
    response.once('finish', () => {
      if (response.statusCode === 429) refusals.count(site);
    });
    await refusals.hold(site);
    handle(request, response);
  };
}
