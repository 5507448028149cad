import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import type { ClientState } from '../clients/client.ts';

type Client = Pick<ClientState, 'status' | 'email' | 'user_id'>;

/**
 * True if the client's invitation is accepted: its user can sign in. An invited client whose user can sign in already
 * has not finished accepting. `service` is this service's own caller.
 */
export const isActivated = async (service: Caller, { status, email, user_id }: Client): Promise<boolean> =>
  status === 'active' && (await call('identity.HasAccount', { email, user_id }, service)).activated;
