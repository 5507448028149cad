import { hash } from 'node:crypto';

/** The cookie that says who is signed in: `<token>.<signature>`, percent-encoded; this host's alone (RFC 6265bis §4.1.3.2). */
export const sessionCookie = '__Host-webkiln_session';

const tokenForm = /^[A-Za-z0-9]{32}$/;

/** What stands for a session between our services, where its token never travels: the token's SHA-256, base64url. Undefined for what can be none. */
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
