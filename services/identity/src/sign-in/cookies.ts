import { sessionCookie } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';

/** A cookie that only this host sets and receives (RFC 6265bis §4.1.3.2), also on http://localhost. */
const hostCookie = (name: string) => ({ name, attributes: { secure: true, httpOnly: true, sameSite: 'lax' as const, path: '/' } });

/** Every cookie that the sign-in library may set, under the library's name for it. */
export const hostCookies = {
  session_token: hostCookie(sessionCookie),
  session_data: hostCookie('__Host-webkiln_session_data'),
  account_data: hostCookie('__Host-webkiln_account_data'),
  dont_remember: hostCookie('__Host-webkiln_dont_remember'),
  two_factor: hostCookie('__Host-webkiln_two_factor'),
  trust_device: hostCookie('__Host-webkiln_trust_device'),
  passkey: hostCookie('__Host-webkiln_passkey'),
};

/** Signs again with the first secret what an older one signed: the sign-in library verifies with one secret alone. */
export interface Resigning {
  /** A Cookie header; cookies that no listed secret signed stay as they are. */
  cookies(header: string): string;
  /** The query of a mailed link, whose `token` is a JWT (RFC 7519) under HS256; "" or "?a=b". */
  query(query: string): string;
}

const names: ReadonlySet<string> = new Set(Object.values(hostCookies).map(({ name }) => name));

export function resigning(secrets: SecretList): Resigning {
  if (secrets.length === 1) return { cookies: (header) => header, query: (query) => query };
  const ofCookies = signer(secrets, 'base64');
  const ofLinks = signer(secrets);
  const resigned = (text: string, { sign, isSigned }: typeof ofLinks): string | undefined => {
    const [payload, signature] = splitSigned(text);
    return isSigned(payload, signature) ? `${payload}.${sign(payload)}` : undefined;
  };

  return {
    cookies: (header) =>
      header
        .split(';')
        .map((pair) => {
          const at = pair.indexOf('=');
          const name = pair.slice(0, Math.max(at, 0)).trim();
          const text = names.has(name) ? resigned(decoded(pair.slice(at + 1).trim()), ofCookies) : undefined;
          return text === undefined ? pair.trim() : `${name}=${encodeURIComponent(text)}`;
        })
        .join('; '),
    query(query) {
      const parameters = new URLSearchParams(query);
      const token = resigned(parameters.get('token') ?? '', ofLinks);
      if (token === undefined) return query;
      parameters.set('token', token);
      return `?${parameters}`;
    },
  };
}

/** A cookie's text; empty if it is malformed. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}
