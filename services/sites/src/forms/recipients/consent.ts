import { call } from '@webkiln/rpc';
import { asService } from './as-service.ts';
import type { Recipient } from './recipient.ts';

/** What a recipient has answered: see identity. */
export type ConsentState = 'unasked' | 'asked' | 'agreed' | 'withdrawn';

interface Consent {
  readonly state: ConsentState;
  /** Of the link by which the recipient changes it. */
  readonly token: string;
}

export const consentOf = async (org_id: string, { address, isClients }: Recipient): Promise<Consent> =>
  (await call('identity.GetMailConsent', { recipient: address, is_clients: isClients }, asService(org_id))) as Consent;

/** The page where a recipient agrees to form mails and ends them. */
export const consentUrl = (origin: string, { token }: Pick<Consent, 'token'>): string => `${origin}/form-mails?token=${token}`;
