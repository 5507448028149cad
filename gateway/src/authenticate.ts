import type { IncomingMessage } from 'node:http';
import { AppError, apiKeyDigest, parseApiKey } from '@webkiln/contract';
import type { KeyVerdict, KeyVerdicts } from './key-verdicts.ts';

/** Whose key a request carries. Throws `missing_credential`, `invalid_key`, or `unavailable` where nobody can tell. */
export async function authenticate(request: IncomingMessage, verdicts: KeyVerdicts): Promise<KeyVerdict> {
  const { authorization } = request.headers;
  if (authorization === undefined) throw new AppError('missing_credential');
  const token = bearerToken(authorization);
  if (token === undefined) throw new AppError('missing_credential');
  // A misspelt key costs no look-up: its checksum tells.
  const key = parseApiKey(token);
  if (key === undefined) throw new AppError('invalid_key');
  const verdict = await verdicts.find(apiKeyDigest(key));
  if (verdict === undefined) throw new AppError('invalid_key');
  return verdict;
}

/** RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1). */
function bearerToken(authorization: string): string | undefined {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const token = authorization.slice(7).trim();
  return token === '' ? undefined : token;
}
