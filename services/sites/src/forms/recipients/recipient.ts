import { AppError, Client, createSerializer, type Project } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { StoredSettings } from '../settings/form-settings.ts';

/** The recipient of a project's submissions. */
export interface Recipient {
  readonly address: string;
  /** True if it is the address of the project's client. */
  readonly isClients: boolean;
}

/** Null if the settings name nobody and the project has no client. `service` is this service's own caller. */
export async function recipientOf(
  service: Caller,
  { org_client_id }: Pick<Project, 'org_client_id'>,
  { notification_email }: Pick<StoredSettings, 'notification_email'>,
): Promise<Recipient | null> {
  const clientEmail = org_client_id === null ? null : ((await clientOf(service, org_client_id))?.email ?? null);
  const address = notification_email ?? clientEmail;
  return address === null ? null : { address, isClients: address.toLowerCase() === clientEmail?.toLowerCase() };
}

const serializeClient = createSerializer(Client.nullable());

/** Null if the organization has no such client any more. */
export const clientOf = async (service: Caller, client_id: string): Promise<Client | null> =>
  serializeClient((await unlessGone(call('clients.GetClient', { client_id }, service)))?.client ?? null) as Client | null;

/** True if the project's client joined by a link: mails of its site count on the share of those who did. */
export async function isOfJoined(service: Caller, { org_client_id }: Pick<Project, 'org_client_id'>): Promise<boolean> {
  if (org_client_id === null) return false;
  const joining = await unlessGone(call('clients.GetClientJoining', { client_id: org_client_id }, service));
  return joining?.build_link_id !== undefined;
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}

/** A recipient's answer: see identity. */
export type ConsentState = 'unasked' | 'asked' | 'agreed' | 'withdrawn';

export interface Consent {
  readonly state: ConsentState;
  /** The token of the link by which the recipient changes it. */
  readonly token: string;
}

/** `service` is this service's own caller, in the organization that sends the mails. */
export const consentOf = async (service: Caller, { address, isClients }: Recipient): Promise<Consent> =>
  (await call('identity.GetMailConsent', { recipient: address, is_clients: isClients }, service)) as Consent;

/** The page where a recipient agrees to form mails and ends them. */
export const consentUrl = (origin: string, { token }: Pick<Consent, 'token'>): string => `${origin}/form-mails?token=${token}`;
