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
