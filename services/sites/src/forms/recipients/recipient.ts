import { AppError, type Project } from '@webkiln/contract';
import { call } from '@webkiln/rpc';
import type { StoredSettings } from '../settings/form-settings.ts';
import { asService } from './as-service.ts';

/** Who is mailed a project's submissions. */
export interface Recipient {
  readonly address: string;
  /** True if it is the address of the project's client. */
  readonly isClients: boolean;
}

/** Null if the settings name nobody and the project has no client. */
export async function recipientOf(
  org_id: string,
  { org_client_id }: Pick<Project, 'org_client_id'>,
  { notification_email }: Pick<StoredSettings, 'notification_email'>,
): Promise<Recipient | null> {
  const clients = org_client_id === null ? null : await clientAddress(org_id, org_client_id);
  const address = notification_email ?? clients;
  return address === null ? null : { address, isClients: address.toLowerCase() === clients?.toLowerCase() };
}

async function clientAddress(org_id: string, client_id: string): Promise<string | null> {
  try {
    const { client } = await call('clients.GetClient', { client_id }, asService(org_id));
    return client?.email ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}
