import { createHmac } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { organizationKey, organizationKeys, signer, splitSigned } from '@webkiln/sealing';
import { foldEmail, isVerified } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { memberOf } from '../members/member-store.ts';
import type { AuthKeys } from '../sign-in/auth-keys.ts';
import { type StoredConsent, storeAnswer, storeAsked, storedConsent } from './mail-consent-store.ts';

/** `unasked`: the address was never asked; `asked`: it has not answered. */
type ConsentState = StoredConsent | 'unasked';

interface Recipient {
  readonly org_id: string;
  readonly email: string;
  /** True if it is the address of the client that the mails are for. */
  readonly isClients: boolean;
}

/**
 * Consents to form mails, and to the monthly report, which a client gets until it ends it. A client and a member
 * receive form mails by their relation to the organization, everybody else once they agreed by a mailed link. A
 * withdrawal counts for all of them.
 */
export class MailConsents {
  readonly #key: Uint8Array;
  readonly #tokens: ReturnType<typeof consentTokens>;
  readonly #now: () => Date;

  constructor({ secrets, digestMaster }: AuthKeys, now = () => new Date()) {
    const purpose = 'consents to form mails';
    this.#key = organizationKey(digestMaster, purpose);
    this.#tokens = consentTokens(organizationKeys(secrets, purpose));
    this.#now = now;
  }

  /** The state, and the token of a link by which the recipient changes it. */
  async find({ org_id, email, isClients }: Recipient): Promise<{ state: ConsentState; token: string }> {
    const consent_id = this.#idOf(org_id, email);
    const stored = await storedConsent(org_id, consent_id);
    const isAnswered = stored === 'agreed' || stored === 'withdrawn';
    const isOwn = !isAnswered && (isClients || (await isMembers(org_id, email)));
    const state = isOwn ? 'agreed' : (stored ?? 'unasked');
    return { state, token: this.#tokens.issue({ org_id, consent_id, kind: state === 'agreed' ? 'mail' : 'ask' }, this.#now()) };
  }

  /** Tells whether a client gets the monthly report, with the token of a link by which it changes that. */
  async findReport(org_id: string, client_id: string): Promise<{ agrees: boolean; token: string }> {
    const consent_id = this.#idOfReport(org_id, client_id);
    const token = this.#tokens.issue({ org_id, consent_id, kind: 'mail' }, this.#now());
    return { agrees: (await storedConsent(org_id, consent_id)) !== 'withdrawn', token };
  }

  async answerReport(org_id: string, client_id: string, agrees: boolean): Promise<void> {
    await storeAnswer(org_id, this.#idOfReport(org_id, client_id), agrees ? 'agreed' : 'withdrawn', this.#now());
  }

  /** The recipient's answer, or `asked`; undefined before it was asked. */
  stored(org_id: string, email: string): Promise<StoredConsent | undefined> {
    return storedConsent(org_id, this.#idOf(org_id, email));
  }

  async noteAsked(org_id: string, email: string): Promise<void> {
    await storeAsked(org_id, this.#idOf(org_id, email), this.#now());
  }

  /** The state behind a link. Throws `link_invalid`. */
  async open(token: string): Promise<{ org_id: string; state: ConsentState }> {
    const link = this.#tokens.read(token, this.#now());
    const stored = await storedConsent(link.org_id, link.consent_id);
    return { org_id: link.org_id, state: stored === 'agreed' || stored === 'withdrawn' ? stored : unanswered(link) };
  }

  /** Stores the recipient's answer. Repeats change nothing. Throws `link_invalid`. */
  async answer(token: string, agrees: boolean): Promise<{ org_id: string; state: ConsentState }> {
    const { org_id, consent_id } = this.#tokens.read(token, this.#now());
    const state = agrees ? 'agreed' : 'withdrawn';
    await storeAnswer(org_id, consent_id, state, this.#now());
    return { org_id, state };
  }

  #idOf(org_id: string, email: string): string {
    return this.#digest(`${org_id}\n${foldEmail(email)}`);
  }

  #idOfReport(org_id: string, client_id: string): string {
    return this.#digest(`${org_id}\nreport\n${client_id}`);
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** A client or a member gets mails without having been asked. */
const unanswered = ({ kind }: ConsentLink): ConsentState => (kind === 'mail' ? 'agreed' : 'asked');

async function isMembers(org_id: string, email: string): Promise<boolean> {
  const account = await accountByEmail(email);
  return account !== null && isVerified(account) && (await memberOf({ org_id }, account._id)) !== null;
}

const dayMs = 24 * 3600_000;

/** How long the links work: the one that asks, and the ones below form mails. */
const lifetimeMs = { ask: 7 * dayMs, mail: 365 * dayMs };

/** The consent that the holder of a link, who received it at the address, decides about. */
interface ConsentLink {
  readonly org_id: string;
  /** The keyed digest of organization and address (of a report: client), so that no link contains an address. */
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
function consentTokens(keys: SecretList<Uint8Array>) {
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
