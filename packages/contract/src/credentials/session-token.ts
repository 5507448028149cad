import { hash } from 'node:crypto';

/**
 * The session cookie: `<token>.<signature>`, percent-encoded. `__Host-` binds it to this host (RFC 6265bis §4.1.3.2).
 */
export const sessionCookie = '__Host-webkiln_session';

const tokenForm = /^[A-Za-z0-9]{32}$/;

/**
 * The token's SHA-256, base64url; services never pass on the token itself. Undefined if the header has no well-formed
 * token.
 */
export function sessionDigest(cookieHeader: string | undefined): string | undefined {
  for (const cookie of cookieHeader?.split(';') ?? []) {
    const [name, value = ''] = cookie.trim().split('=', 2);
    if (name !== sessionCookie) continue;
    const [token = ''] = value.split('.', 1);
    return tokenForm.test(token) ? sessionTokenDigest(token) : undefined;
  }
  return undefined;
}

export const sessionTokenDigest = (token: string): string => hash('sha256', token, 'base64url');
