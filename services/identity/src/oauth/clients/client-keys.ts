/** Signature algorithms of client assertions (RFC 7518, RFC 8037, RFC 9864); none with a shared secret. */
export const assertionAlgorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519'] as const;

const maxKeys = 10;
/** An assertion is remembered until it expires, so that it is used once. */
const maxLifetimeSeconds = 3600;

/**
 * Why a client's keys (RFC 7591 §2) are refused, as a sentence; undefined if they may be used. The library checks the
 * keys themselves.
 */
export function keysProblem({ jwks, jwks_uri }: Readonly<Record<string, unknown>>): string | undefined {
  if (jwks_uri !== undefined && !isHttps(jwks_uri)) return 'jwks_uri must be an https address';
  const keys = (jwks as { keys?: unknown } | null | undefined)?.keys;
  if (Array.isArray(keys) && keys.length > maxKeys) return `jwks must have at most ${maxKeys} keys`;
  return undefined;
}

const isHttps = (address: unknown) => typeof address === 'string' && URL.parse(address)?.protocol === 'https:';

/** True if a client assertion (RFC 7523 §3) expires soon enough to be remembered until then. `now` is in seconds. */
export const expiresSoon = (exp: unknown, now: number): boolean => typeof exp === 'number' && exp <= now + maxLifetimeSeconds;
