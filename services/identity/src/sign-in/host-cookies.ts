import { sessionCookie } from '@webkiln/contract';

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
