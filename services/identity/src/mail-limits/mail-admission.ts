import { createHmac } from 'node:crypto';
import { organizationKey } from '@webkiln/sealing';
import { foldEmail, isVerified } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { sessionsOf } from '../sessions/session-store.ts';
import { takeMail } from './mail-count-store.ts';
import { askedByRecipient, type MailLimits } from './mail-limits.ts';

/** Limits per recipient, over all organizations. */
export interface RecipientLimits {
  readonly mails: MailLimits;
  /** For form mails to recipients who agreed to them. */
  readonly agreedForms: MailLimits;
}

export interface MailRequest {
  /** The same on every attempt, as the Message-ID. */
  readonly id: string;
  readonly recipient: string;
  readonly purpose: string;
  /** The network of the person who asked for it; absent if nobody did. */
  readonly network?: string | undefined;
  /** True if the recipient's own session or secret caused it. */
  readonly isRecipients?: boolean | undefined;
}

/** Decides whether a mail is sent, once per mail. What exceeds a limit is to be dropped silently. */
export class MailAdmission {
  readonly #key: Uint8Array;
  readonly #limits: RecipientLimits;

  constructor(secret: string, limits: RecipientLimits) {
    this.#key = organizationKey(Buffer.from(secret), 'recipients of mails');
    this.#limits = limits;
  }

  async admit({ id, recipient, purpose, network, isRecipients = false }: MailRequest): Promise<boolean> {
    const agreed = purpose === 'form' && (await hasVerified(recipient));
    const asked_by = isRecipients || (network !== undefined && (await isSignedInFrom(recipient, network))) ? askedByRecipient : '';
    const mail = { id, purpose, agreed, asked_by: asked_by || (network === undefined ? '' : this.#digest(network)) };
    return takeMail(this.#digest(foldEmail(recipient)), mail, agreed ? this.#limits.agreedForms : this.#limits.mails);
  }

  /** Neither addresses nor networks are stored in clear. */
  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** A person with a verified account at this address chose to work with us. */
async function hasVerified(email: string): Promise<boolean> {
  const account = await accountByEmail(email);
  return account !== null && isVerified(account);
}

/** True if the account has a session of the same network. */
async function isSignedInFrom(email: string, network: string): Promise<boolean> {
  const account = await accountByEmail(email);
  return account !== null && (await sessionsOf(account._id)).some(({ ip_prefix }) => ip_prefix === network);
}
