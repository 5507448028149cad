import { AppError, type Project } from '@webkiln/contract';
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
  const clientEmail = org_client_id === null ? null : await emailOf(service, org_client_id);
  const address = notification_email ?? clientEmail;
  return address === null ? null : { address, isClients: address.toLowerCase() === clientEmail?.toLowerCase() };
}

async function emailOf(service: Caller, client_id: string): Promise<string | null> {
  try {
    const { client } = await call('clients.GetClient', { client_id }, service);
    return client?.email ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}
