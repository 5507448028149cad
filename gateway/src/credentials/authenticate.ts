import type { IncomingMessage } from 'node:http';
import { AppError, apiKeyDigest, parseApiKey, sessionDigest } from '@webkiln/contract';
import type { CredentialCache, IntrospectionResult } from './credential-cache.ts';
import type { ActiveCredential } from './recent-credentials.ts';

interface CredentialCaches {
  readonly keys: CredentialCache;
  readonly sessions: CredentialCache;
}

/** Runs the lookup of a credential that no cache knows, or refuses it. */
type GuardLookup = (lookUp: () => Promise<IntrospectionResult>) => Promise<IntrospectionResult>;

/**
 * Finds the API key or session that a request carries.
 * `guard` decides about lookups: whatever looks like a credential may be sent by anybody.
 * Throws `missing_credential`, `invalid_key`, `invalid_session`, or `unavailable` if identity cannot be reached.
 */
export async function authenticate(
  { headers }: IncomingMessage,
  { keys, sessions }: CredentialCaches,
  guard: GuardLookup,
): Promise<ActiveCredential> {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) return activeKey(authorization, keys, guard);
  const digest = sessionDigest(cookie);
  if (digest === undefined) throw new AppError('missing_credential');
  const credential = await find(sessions, digest, guard);
  if (credential === undefined) throw new AppError('invalid_session');
  return credential;
}

async function activeKey(authorization: string, keys: CredentialCache, guard: GuardLookup): Promise<ActiveCredential> {
  const token = bearerToken(authorization);
  if (token === undefined) throw new AppError('missing_credential');
  // The checksum finds a mistyped key without a call to identity.
  const key = parseApiKey(token);
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
 * Keys belong on servers: a key with a foreign page's Origin was leaked into a browser. Sessions are accepted from
 * our own pages only,
 * by Sec-Fetch-Site (Fetch Metadata) or Origin (RFC 6454), against CSRF. Throws `browser_key` or `foreign_page`.
 */
export function assertAllowedOrigin({ headers }: IncomingMessage, { principal }: ActiveCredential, origin: string): void {
  if (principal.kind === 'session') {
    if (headers['sec-fetch-site'] !== 'same-origin' && headers.origin !== origin) throw new AppError('foreign_page');
  } else if (headers.origin !== undefined && headers.origin !== origin) throw new AppError('browser_key');
}
