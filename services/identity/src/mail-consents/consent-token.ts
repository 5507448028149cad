import { AppError } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';

const dayMs = 24 * 3600_000;

/** How long the links work: the one that asks, and the ones below form mails. */
const lifetimeMs = { ask: 7 * dayMs, mail: 365 * dayMs };

/** What a link lets its holder, who received it at the address, decide. */
export interface ConsentLink {
  readonly org_id: string;
  /** The keyed digest of organization and address, so that no link contains an address. */
  readonly consent_id: string;
  /** `ask`: the link asks for the consent; `mail`: it is below a form mail, so that mails are sent already. */
  readonly kind: keyof typeof lifetimeMs;
}

/** Organization, digest, kind, expiry in epoch milliseconds. */
type Claims = [string, string, ConsentLink['kind'], number];

/**
 * Tokens `<base64url of the claims>.<base64url HMAC-SHA256>`; nothing is stored for them. The first key signs, each
 * verifies.
 */
export function consentTokens(keys: SecretList<Uint8Array>) {
  const { sign, isSigned } = signer(keys);
  return {
    issue({ org_id, consent_id, kind }: ConsentLink, now: Date): string {
      const claims: Claims = [org_id, consent_id, kind, now.getTime() + lifetimeMs[kind]];
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${payload}.${sign(`link ${payload}`)}`;
    },
    /** Throws `link_invalid` for forged and expired tokens. */
    read(token: string, now: Date): ConsentLink {
      const [payload, signature] = splitSigned(token);
      if (!isSigned(`link ${payload}`, signature)) throw new AppError('link_invalid');
      const [org_id, consent_id, kind, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
      if (expiresAt <= now.getTime()) throw new AppError('link_invalid');
      return { org_id, consent_id, kind };
    },
  };
}
