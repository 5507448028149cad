import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { Recipient } from './recipient.ts';

/** A recipient's answer: see identity. */
export type ConsentState = 'unasked' | 'asked' | 'agreed' | 'withdrawn';

export interface Consent {
  readonly state: ConsentState;
  /** Of the link by which the recipient changes it. */
  readonly token: string;
}

/** `service` is this service's own caller, in the organization that sends the mails. */
export const consentOf = async (service: Caller, { address, isClients }: Recipient): Promise<Consent> =>
  (await call('identity.GetMailConsent', { recipient: address, is_clients: isClients }, service)) as Consent;

/** The page where a recipient agrees to form mails and ends them. */
export const consentUrl = (origin: string, { token }: Pick<Consent, 'token'>): string => `${origin}/form-mails?token=${token}`;
