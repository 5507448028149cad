import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { AppError, defaultLanguage, type Language } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { quotaExceeded } from '@webkiln/org-policy';
import { handle } from '@webkiln/rpc';
import { organizationKey } from '@webkiln/sealing';
import { LRUCache } from 'lru-cache';
import { foldEmail, isVerified } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { assertInternal, currentOrganization } from '../authorize.ts';
import { limitOf, type OrgPolicySettings } from '../organizations/org-policy.ts';
import { type OrganizationState, sendsReports, toBrand } from '../organizations/organization.ts';
import { type OrganizationRecord, organizationById } from '../organizations/organization-store.ts';
import { sessionsOf } from '../sessions/session-store.ts';
import type { AuthKeys } from '../sign-in/auth-keys.ts';
import { MailConsents } from './mail-consents.ts';
import {
  askedByRecipient,
  type MailLimits,
  mailsOfDay,
  releaseOrganizationMail,
  takeMail,
  takeOrganizationMail,
} from './mail-count-store.ts';

/** Mails that wait for their turn are asked about again within minutes. */
const admittedForMs = 10 * 60_000;

/** Limits per recipient, over all organizations. */
export interface RecipientLimits {
  readonly mails: MailLimits;
  /** For form mails to recipients who agreed to them. */
  readonly agreedForms: MailLimits;
}

interface MailRequest {
  /** The same on every attempt, as the Message-ID. */
  readonly id: string;
  /** The organization that causes it; empty for a mail that a person asks for themself. */
  readonly org_id: string;
  readonly recipient: string;
  readonly purpose: string;
  /** The network of the person who asked for it; absent if nobody did. */
  readonly network?: string | undefined;
  /** True for a site of a client who joined by a link: it counts on the share of those who did. */
  readonly isOfJoined?: boolean | undefined;
  /** True if the recipient's own session or secret caused it. */
  readonly isRecipients?: boolean | undefined;
}

/** Decides whether a mail is sent, once per mail. What exceeds a limit is to be dropped silently. */
export class MailAdmission {
  readonly #key: KeyObject;
  readonly #consents: MailConsents;
  readonly #limits: RecipientLimits;
  readonly #settings: OrgPolicySettings;
  readonly #now: () => Date;
  /** Mails of organizations that are counted: services ask again before each attempt to send one. */
  readonly #admitted = new LRUCache<string, true>({ max: 50_000, ttl: admittedForMs });

  constructor(keys: AuthKeys, limits: RecipientLimits, settings: OrgPolicySettings, now = () => new Date()) {
    this.#key = createSecretKey(organizationKey(keys.digestMaster, 'recipients of mails'));
    this.#consents = new MailConsents(keys, now);
    this.#limits = limits;
    this.#settings = settings;
    this.#now = now;
  }

  /** The organization's count comes first, so that one without mails left does not use up those of its recipients. */
  async admit(mail: MailRequest): Promise<boolean> {
    const { id, org_id, isOfJoined = false } = mail;
    if (org_id === '') return this.#admitToRecipient(mail);
    const organization = await organizationById(org_id);
    if (organization?.suspended_at) return false;
    // A form mail stops at once when its recipient withdraws.
    const known = `${org_id} ${id} ${mail.recipient}`;
    if (mail.purpose !== 'form' && this.#admitted.has(known)) return true;
    if (!(await takeOrganizationMail({ org_id, id, isOfJoined }, this.#limitOf(organization), this.#now()))) return false;
    if (!(await this.#admitToRecipient(mail))) {
      await releaseOrganizationMail(org_id, id, this.#now());
      return false;
    }
    if (mail.purpose === 'consent') await this.#consents.noteAsked(org_id, mail.recipient);
    this.#admitted.set(known, true);
    return true;
  }

  /** For what exists to send a mail. Throws `quota_exceeded` if the organization has used up its mails of today. */
  async assertMailsLeft(org_id: string): Promise<void> {
    const limit = this.#limitOf(await organizationById(org_id));
    const used = await mailsOfDay(org_id, this.#now());
    if (used >= limit) throw quotaExceeded('mails', limit, used);
  }

  /** Mails a day. */
  #limitOf(organization: OrganizationRecord | null): number {
    return limitOf(organization ?? { created_at: new Date(0) }, 'mails', this.#settings, this.#now());
  }

  async #admitToRecipient({ id, org_id, recipient, purpose, network, isRecipients = false }: MailRequest): Promise<boolean> {
    const consent = purpose === 'form' ? await this.#consents.stored(org_id, recipient) : undefined;
    if (consent === 'withdrawn') return false;
    const agreed = purpose === 'form' && (consent === 'agreed' || (await hasVerified(recipient)));
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

/** The language of an organization's mails to an address: its account's, else the organization's, else English. */
export async function mailLanguage(email: string, { language }: Pick<OrganizationState, 'language'>): Promise<Language> {
  const account = email === '' ? null : await accountByEmail(email);
  return account?.language ?? language ?? defaultLanguage;
}

/** The client that the session belongs to. */
function ownClientOf({ principal: { org_id, client_id } }: Caller): readonly [org_id: string, client_id: string] {
  if (client_id === undefined) throw new AppError('role_missing');
  return [org_id, client_id];
}

export const mailUseCases = (admission: MailAdmission, consents: MailConsents) => [
  /** Counts a mail that a service is about to send against the limits of its recipient and its organization. */
  handle('identity.AdmitMail', async ({ mail_id, recipient, purpose, joined_by_link }, { principal: { org_id } }) => ({
    admitted: await admission.admit({ id: mail_id, org_id, recipient, purpose, isOfJoined: joined_by_link }),
  })),
  /** Throws `quota_exceeded` if the organization has used up its mails of today. */
  handle('identity.CheckMailQuota', async (_request, caller) => {
    assertInternal(caller);
    await admission.assertMailsLeft(caller.principal.org_id);
    return {};
  }),
  handle('identity.GetBrand', async ({ recipient }, caller) => {
    assertInternal(caller);
    const organization = await currentOrganization(caller);
    return { brand: toBrand(organization), language: await mailLanguage(recipient, organization) };
  }),
  handle('identity.GetMailConsent', async ({ recipient, is_clients }, caller) => {
    assertInternal(caller);
    return consents.find({ org_id: caller.principal.org_id, email: recipient, isClients: is_clients });
  }),
  handle('identity.OpenMailConsent', async ({ token }, caller) => {
    assertInternal(caller);
    return consents.open(token);
  }),
  handle('identity.AnswerMailConsent', async ({ token, agrees }, caller) => {
    assertInternal(caller);
    return consents.answer(token, agrees);
  }),
  /** Tells whether a client gets the monthly report, with the token of the link that ends it. */
  handle('identity.GetReportConsent', async ({ client_id }, caller) => {
    assertInternal(caller);
    const { agrees, token } = await consents.findReport(caller.principal.org_id, client_id);
    return { agrees: agrees && sendsReports(await currentOrganization(caller)), token };
  }),
  handle('accounts.GetReportMails', async (_request, caller) => {
    const { agrees: enabled } = await consents.findReport(...ownClientOf(caller));
    return { report_mails: { enabled, offered: sendsReports(await currentOrganization(caller)) } };
  }),
  handle('accounts.UpdateReportMails', async ({ enabled }, caller) => {
    await consents.answerReport(...ownClientOf(caller), enabled);
    return { report_mails: { enabled, offered: sendsReports(await currentOrganization(caller)) } };
  }),
];
