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
import type { CredentialCache, IntrospectionResult } from './credential-cache.ts';
import type { CredentialCaches } from './open-credential-caches.ts';
import type { ActiveCredential } from './recent-credentials.ts';

/** Runs the lookup of a credential that no cache knows, or refuses it. */
type GuardLookup = (lookUp: () => Promise<IntrospectionResult>) => Promise<IntrospectionResult>;

/**
 * Finds the API key, token or session that a request carries. `guard` decides about lookups: whatever looks like a
 * credential may be sent by anybody. Throws `missing_credential`, `invalid_key`, `invalid_token`,
 * `invalid_embed_token`, `invalid_session`, or `unavailable` if identity cannot be reached.
 */
export async function authenticate({ headers }: IncomingMessage, caches: CredentialCaches, guard: GuardLookup): Promise<ActiveCredential> {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) return activeBearer(authorization, caches, guard);
  const digest = sessionDigest(cookie);
  if (digest === undefined) throw new AppError('missing_credential');
  const credential = await find(caches.sessions, digest, guard);
  if (credential === undefined) throw new AppError('invalid_session');
  return credential;
}

async function activeBearer(
  authorization: string,
  { keys, oauthTokens, embedTokens }: CredentialCaches,
  guard: GuardLookup,
): Promise<ActiveCredential> {
  const bearer = bearerToken(authorization);
  if (bearer === undefined) throw new AppError('missing_credential');
  // The checksum finds a mistyped credential without a call to identity.
  if (bearer.startsWith('wko_')) {
    const token = parseOauthToken(bearer);
    const active = token && (await find(oauthTokens, oauthTokenDigest(token), guard));
    if (active === undefined) throw new AppError('invalid_token');
    return active;
  }
  if (bearer.startsWith('embt_')) {
    const token = parseEmbedToken(bearer);
    const active = token && (await find(embedTokens, embedTokenDigest(token), guard));
    if (active === undefined) throw new AppError('invalid_embed_token');
    return active;
  }
  const key = parseApiKey(bearer);
  if (key === undefined) throw new AppError('invalid_key');
  const credential = await find(keys, apiKeyDigest(key), guard);
  if (credential === undefined) throw new AppError('invalid_key');
  return credential;
}

const find = (cache: CredentialCache, digest: string, guard: GuardLookup): Promise<IntrospectionResult> =>
  cache.isKnown(digest) ? cache.find(digest) : guard(() => cache.find(digest));

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

/**
 * Keys belong on servers: a key with a foreign page's Origin was leaked into a browser. Sessions are accepted from our
 * own pages only, by Sec-Fetch-Site (Fetch Metadata) or Origin (RFC 6454), against CSRF. OAuth tokens are made for
 * programs that may run in a browser. Throws `browser_key` or `foreign_page`.
 */
export function assertAllowedOrigin({ headers }: IncomingMessage, { principal }: ActiveCredential, origin: string): void {
  if (principal.kind === 'session') {
    if (headers['sec-fetch-site'] !== 'same-origin' && headers.origin !== origin) throw new AppError('foreign_page');
  } else if (principal.kind === 'api_key' && headers.origin !== undefined && headers.origin !== origin) throw new AppError('browser_key');
}
