import type { RaisedEvent } from '@webkiln/messages';
import { registrationLifetimes } from '../resources.ts';

/** A person's consent that a client acts for it in one organization: a connected agent. */
export interface ConnectionState {
  _id: string;
  account_id: string;
  client_id: string;
  client_name: string;
  org_id: string;
  /** Where the code went when the person last allowed it. */
  redirect_uri: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date;
  revoked_at: Date | null;
}

/** What a person allows. */
export type Allowed = Pick<ConnectionState, 'account_id' | 'client_id' | 'client_name' | 'org_id' | 'redirect_uri'>;

export const expiryFrom = (now: Date) => new Date(now.getTime() + registrationLifetimes.used * 1000);

/** The event that audits in the organization what happened to a connection. */
export const audited = (
  action: 'agent.connected' | 'agent.revoked' | 'agent.token_reused',
  { _id, account_id, client_name }: Pick<ConnectionState, '_id' | 'account_id' | 'client_name'>,
): RaisedEvent => ({
  type: 'internal.audited',
  data: { actor: { kind: 'account', id: account_id }, action, target: { kind: 'agent', id: _id, name: client_name } },
});
