import type { IncomingMessage } from 'node:http';
import { AppError, apiKeyDigest, parseApiKey, sessionDigest } from '@webkiln/contract';
import type { Verdict, Verdicts } from './verdicts.ts';

interface Known {
  readonly keys: Verdicts;
  readonly sessions: Verdicts;
}

/**
 * Whose key a request carries, or who is signed in in the browser that it comes from. Throws `missing_credential`, `invalid_key`,
 * `invalid_session`, or `unavailable` where nobody can tell.
 */
export async function authenticate({ headers }: IncomingMessage, { keys, sessions }: Known): Promise<Verdict> {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) return keyOf(authorization, keys);
  const digest = sessionDigest(cookie);
  if (digest === undefined) throw new AppError('missing_credential');
  const verdict = await sessions.find(digest);
  if (verdict === undefined) throw new AppError('invalid_session');
  return verdict;
}

async function keyOf(authorization: string, keys: Verdicts): Promise<Verdict> {
  const token = bearerToken(authorization);
  if (token === undefined) throw new AppError('missing_credential');
  // A misspelt key costs no look-up: its checksum tells.
  const key = parseApiKey(token);
  if (key === undefined) throw new AppError('invalid_key');
  const verdict = await keys.find(apiKeyDigest(key));
  if (verdict === undefined) throw new AppError('invalid_key');
  return verdict;
}

/** RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1). */
function bearerToken(authorization: string): string | undefined {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const token = authorization.slice(7).trim();
  return token === '' ? undefined : token;
}

/**
 * A key stays on servers: with a foreign page's Origin it is refused. A session is a browser's: it is taken from our own pages only, by what
 * the browser itself says (Fetch Metadata, or RFC 6454). Throws `browser_key` or `foreign_page`.
 */
export function assertPlace({ headers }: IncomingMessage, { principal }: Verdict, origin: string): void {
  if (principal.kind === 'session') {
    if (headers['sec-fetch-site'] !== 'same-origin' && headers.origin !== origin) throw new AppError('foreign_page');
  } else if (headers.origin !== undefined && headers.origin !== origin) throw new AppError('browser_key');
}
