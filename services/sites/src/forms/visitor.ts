import { createHmac, hkdfSync } from 'node:crypto';

/** Stands for a visitor on one site: equal for equal addresses, and nobody without the key can tell the address. */
export type VisitorName = (site: string, address: string) => string;

/**
 * Names visitors by HMAC-SHA256 under a key that is derived (HKDF, RFC 5869) from a secret that all replicas have and no database holds. No
 * address is stored; and what is stored under such a name goes when its hour is over.
 */
export function visitorNames(secret: string): VisitorName {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'names of visitors who send forms', 32));
  return (site, address) => createHmac('sha256', key).update(`${site}\n${address}`).digest('base64url');
}
