import type { IncomingMessage } from 'node:http';
import {
  AppError,
  apiKeyDigest,
  embedTokenDigest,
  oauthTokenDigest,
  parseApiKey,
  parseEmbedToken,
  parseOauthToken,
  sessionDigest,
} from '@webkiln/contract';
import { isOwnMachine } from '@webkiln/http';
import { type Caller, type Principal, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { RequestSlots } from './bounds.ts';
import type { ActiveCredential, Credential, CredentialCache, IntrospectionResult } from './credential-cache.ts';
import type { CredentialCaches } from './introspect.ts';
import { addressKey } from './quotas.ts';
import type { RateLimiter } from './rate-limiter.ts';

interface Parts {
  readonly caches: CredentialCaches;
  readonly limiter: RateLimiter;
  readonly clientAddress: (request: IncomingMessage) => string;
}

/** Finds the credentials that requests carry. */
export class Authenticator {
  readonly #parts: Parts;
  readonly #lookups: LookupGuard;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#lookups = new LookupGuard(parts.limiter);
  }

  /**
   * Finds the API key, token or session of a request. An OAuth token must be issued for one of `resources` (RFC 8707).
   * Throws `missing_credential`, `invalid_key`, `invalid_token`, `invalid_embed_token`, `invalid_session`, and
   * `unavailable` if identity cannot be reached. Refuses as LookupGuard does.
   */
  async authenticate(request: IncomingMessage, resources: readonly string[]): Promise<ActiveCredential> {
    const { authorization, cookie } = request.headers;
    const credential = await (authorization === undefined ? this.#findSession(request, cookie) : this.#findBearer(request, authorization));
    assertIssuedFor(resources, credential);
    return credential;
  }

  async #findSession(request: IncomingMessage, cookie: string | undefined): Promise<ActiveCredential> {
    const digest = sessionDigest(cookie);
    if (digest === undefined) throw new AppError('missing_credential');
    const credential = await this.#find(this.#parts.caches.sessions, digest, request);
    if (credential === undefined) throw new AppError('invalid_session');
    return credential;
  }

  async #findBearer(request: IncomingMessage, authorization: string): Promise<ActiveCredential> {
    const { keys, oauthTokens, embedTokens } = this.#parts.caches;
    const bearer = bearerToken(authorization);
    if (bearer === undefined) throw new AppError('missing_credential');
    // The checksum finds a mistyped credential without a call to identity.
    if (bearer.startsWith('wko_')) {
      const token = parseOauthToken(bearer);
      const active = token && (await this.#find(oauthTokens, oauthTokenDigest(token), request));
      if (active === undefined) throw new AppError('invalid_token');
      return active;
    }
    if (bearer.startsWith('embt_')) {
      const token = parseEmbedToken(bearer);
      const active = token && (await this.#find(embedTokens, embedTokenDigest(token), request));
      if (active === undefined) throw new AppError('invalid_embed_token');
      return active;
    }
    const key = parseApiKey(bearer);
    const active = key && (await this.#find(keys, apiKeyDigest(key), request));
    if (active === undefined) throw new AppError('invalid_key');
    return active;
  }

  /** Lookups are guarded: anybody may send what looks like a credential. */
  #find(cache: CredentialCache, digest: string, request: IncomingMessage): Promise<IntrospectionResult> {
    if (cache.isKnown(digest)) return cache.find(digest);
    return this.#lookups.run(this.#parts.clientAddress(request), () => cache.find(digest));
  }
}

/** RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1). */
function bearerToken(authorization: string): string | undefined {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const token = authorization.slice(7).trim();
  return token === '' ? undefined : token;
}

/**
 * An OAuth token is good only where it was issued for (RFC 8707); other credentials are good everywhere. Throws
 * `invalid_token`.
 */
export function assertIssuedFor(resources: readonly string[], { resource }: ActiveCredential): void {
  if (resource !== undefined && !resources.includes(resource)) throw new AppError('invalid_token');
}

const secretInBrowser = {
  path: '',
  message: "an embed client's secret must stay on your server, which opens the session: give browsers the token",
};

/**
 * Keys belong on servers: a key with a foreign page's Origin was leaked into a browser. Sessions are accepted from our
 * own pages only, by Sec-Fetch-Site (Fetch Metadata) or Origin (RFC 6454), against CSRF. OAuth tokens are made for
 * programs that may run in a browser; secrets of embed clients stay on servers. Throws `browser_key` or `foreign_page`.
 */
export function assertAllowedOrigin({ headers }: IncomingMessage, { principal, isForServersOnly }: Credential, origin: string): void {
  if (isForServersOnly && headers.origin !== undefined) throw new AppError('browser_key', [secretInBrowser]);
  if (principal.kind === 'session') {
    if (headers['sec-fetch-site'] !== 'same-origin' && headers.origin !== origin) throw new AppError('foreign_page');
  } else if (principal.kind === 'api_key' && headers.origin !== undefined && !isSamePlace(headers.origin, origin)) {
    throw new AppError('browser_key');
  }
}

/** A key on a page of the machine on which the platform itself runs has left nothing: developers try things there. */
const isSamePlace = (page: string, origin: string) => page === origin || (isOwnMachine(origin) && isOwnMachine(page));

/** Lookups of unknown credentials per window, of a network that has used up its quota of refused requests. */
const lookupsBeyondQuota = 10;
const lookupSlots = { slots: 256, maxPerKey: 8, maxWaitingPerKey: 256, maxWaiting: 4096, maxWaitMs: 2000 };

/**
 * Bounds what strangers can make us look up: whatever has the form of a credential costs a read of the database. A
 * network over its quota of refused requests has few lookups left, so that a valid credential that this gateway has
 * not seen yet gets through at a later try. Known credentials need no lookup and are never affected.
 */
class LookupGuard {
  readonly #limiter: RateLimiter;
  readonly #slots = new RequestSlots({ bound: 'credential lookups', ...lookupSlots });

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Throws `rate_limited`, `too_many_in_flight` or `overloaded` instead of running the lookup. */
  run<T>(network: string, lookUp: () => Promise<T>): Promise<T> {
    return this.#slots.run(network, async () => {
      if (this.#limiter.isRefused(addressKey(network))) {
        const { allowed } = await this.#limiter.consume(`lookup:${network}`, lookupsBeyondQuota);
        if (!allowed) throw new AppError('rate_limited');
      }
      return lookUp();
    });
  }
}

const flushIntervalMs = 5000;
const batchSize = 1000;
/** A last use is exact to a minute, which saves a write per request of a busy credential. */
const reportIntervalMs = 60_000;

interface Use {
  readonly kind: Principal['kind'];
  readonly id: string;
  readonly org_id: string;
  readonly last_used_at: string;
}

/** How identity is told of the last uses of each kind of credential. Sessions have none. */
const reports: { readonly [K in Principal['kind']]?: (uses: readonly Use[], caller: Caller) => Promise<unknown> } = {
  api_key: (uses, caller) =>
    call('identity.RecordKeyUse', { uses: uses.map(({ id: key_id, org_id, last_used_at }) => ({ key_id, org_id, last_used_at })) }, caller),
  oauth_token: (uses, caller) =>
    call('identity.RecordOauthUse', { uses: uses.map(({ id: grant_id, last_used_at }) => ({ grant_id, last_used_at })) }, caller),
};

/** Reports the last use of each API key and OAuth authorization to identity every 5 s, up to 1,000 in a call. */
export class CredentialUse {
  readonly #reported = new LRUCache<string, true>({ ...growingTo(50_000), ttl: reportIntervalMs });
  #uses: Use[] = [];
  readonly #timer = setInterval(() => void this.flush(), flushIntervalMs).unref();

  record({ principal: { kind, credential_id: id, org_id } }: Credential): void {
    if (reports[kind] === undefined || this.#reported.has(id)) return;
    this.#reported.set(id, true);
    this.#uses.push({ kind, id, org_id, last_used_at: new Date().toISOString() });
  }

  async flush(): Promise<void> {
    const uses = this.#uses;
    this.#uses = [];
    for (const [kind, report] of Object.entries(reports)) {
      const ofKind = uses.filter((use) => use.kind === kind);
      for (let start = 0; start < ofKind.length; start += batchSize) await this.#send(report, ofKind.slice(start, start + batchSize));
    }
  }

  async #send(report: (uses: readonly Use[], caller: Caller) => Promise<unknown>, uses: readonly Use[]): Promise<void> {
    try {
      await report(uses, serviceCaller('gateway', '', flushIntervalMs));
    } catch (error) {
      for (const { id } of uses) this.#reported.delete(id);
      logger.warn(
        { err: error, credentials: uses.length },
        'last use of credentials not recorded; it is reported again at their next request',
      );
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
