import { randomBytes } from 'node:crypto';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';
import { foldEmail } from '../../accounts/account.ts';

const cookieName = '__Host-webkiln_devices';
const validDays = 90;
const daySeconds = 24 * 3600;
/** Accounts that one browser can be a known device of. */
const maxAccounts = 5;

/** Devices that signed in to an account within 90 days: strangers' failures neither slow nor block them. */
export interface KnownDevices {
  /**
   * The id of this device if its Cookie header proves a sign-in to the account, later than `after` if that is given.
   * An AUTH_SECRET that is no longer listed proves nothing.
   */
  find(cookies: string | undefined, email: string, after?: Date): string | undefined;
  /** The Set-Cookie header after a sign-in to the account; the proofs for other accounts stay. */
  remember(cookies: string | undefined, email: string, now: Date): string;
}

/** Proofs are `<device>.<epoch seconds>.<HMAC-SHA256 with the account>`, so that a cookie does not show the account. */
export function knownDevices(secrets: SecretList): KnownDevices {
  const { sign, isSigned } = signer(secrets);
  const claim = (email: string, stated: string) => `device of ${foldEmail(email)} ${stated}`;
  const prove = (email: string, stated: string) => `${stated}.${sign(claim(email, stated))}`;

  function isProof(proof: string, email: string, now: Date, after = new Date(0)): boolean {
    const [stated, signature] = splitSigned(proof);
    if (!isSigned(claim(email, stated), signature)) return false;
    const [, at] = stated.split('.');
    return Number(at) * 1000 > after.getTime() && now.getTime() / 1000 - Number(at) < validDays * daySeconds;
  }

  return {
    find: (cookies, email, after) => {
      const now = new Date();
      return proofsIn(cookies)
        .find((proof) => isProof(proof, email, now, after))
        ?.split('.', 1)[0];
    },
    remember(cookies, email, now) {
      const proofs = proofsIn(cookies);
      const known = proofs.find((proof) => isProof(proof, email, now));
      const device = known?.split('.', 1)[0] ?? randomBytes(16).toString('base64url');
      const others = proofs.filter((proof) => proof !== known).slice(0, maxAccounts - 1);
      const value = [prove(email, `${device}.${Math.floor(now.getTime() / 1000)}`), ...others].join('~');
      return `${cookieName}=${value}; Max-Age=${validDays * daySeconds}; Path=/; HttpOnly; Secure; SameSite=Lax`;
    },
  };
}

/** The proofs that a Cookie header carries, newest first. */
function proofsIn(cookies = ''): string[] {
  const [, value = ''] = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w.~-]{1,600})(?:;|$)`).exec(cookies) ?? [];
  return value === '' ? [] : value.split('~').slice(0, maxAccounts);
}
