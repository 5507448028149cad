import { randomUUID } from 'node:crypto';
import { wholeListCap } from '@webkiln/contract';
import { Change, type RaisedEvent, serviceCaller } from '@webkiln/messages';
import {
  defineGlobalModel,
  type GlobalStored,
  insertChange,
  isDuplicate,
  saveChange,
  saveWithRetry,
  unscoped,
  where,
} from '@webkiln/store';
import { registrationLifetimes } from '../resources.ts';
import { revokeGrants } from './grant-store.ts';

/** A person's consent that a client acts for it in one organization: a connected agent. */
export interface ConnectionState {
  _id: string;
  account_id: string;
  client_id: string;
  client_name: string;
  org_id: string;
  /** Where the code went when the person last allowed it. */
  redirect_uri: string;
  /** What the person allowed the last time; absent in records of before there were several: see `scopesOf`. */
  scopes?: string[];
  /** The project that it is limited to; absent or null: all of them. */
  project_id?: string | null;
  /** The client to whose websites it is limited, in the same way. */
  limited_client_id?: string | null;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date;
  revoked_at: Date | null;
}

/** The connection that a person allows. */
type Allowed = Pick<
  ConnectionState,
  'account_id' | 'client_id' | 'client_name' | 'org_id' | 'redirect_uri' | 'scopes' | 'project_id' | 'limited_client_id'
>;

const expiryFrom = (now: Date) => new Date(now.getTime() + registrationLifetimes.used * 1000);

/** The event that audits in the organization what happened to a connection. */
export const audited = (
  action: 'agent.connected' | 'agent.revoked' | 'agent.token_reused',
  { _id, account_id, client_name }: Pick<ConnectionState, '_id' | 'account_id' | 'client_name'>,
): RaisedEvent => ({
  type: 'internal.audited',
  data: { actor: { kind: 'account', id: account_id }, action, target: { kind: 'agent', id: _id, name: client_name } },
});

type Connection = GlobalStored<ConnectionState>;

// Global: a connection belongs to an account, which lists those of all its organizations.
const ConnectionModel = defineGlobalModel<ConnectionState>(
  'oauth_connections',
  {
    account_id: { type: String, required: true },
    client_id: { type: String, required: true },
    client_name: { type: String, required: true },
    org_id: { type: String, required: true },
    redirect_uri: { type: String, required: true },
    scopes: { type: [String], default: undefined },
    project_id: { type: String, default: null },
    limited_client_id: { type: String, default: null },
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, default: null },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  {
    exportedAs: null,
    raisesEvents: true,
    indexes: [
      [{ org_id: 1 }],
      [{ account_id: 1, client_id: 1, org_id: 1 }, { unique: true }],
      [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
    ],
  },
);

const live = () => ({ revoked_at: null, expires_at: where({ $gt: new Date() }) });

/** Records the person's consent, audited in the organization. A repeat takes over the name and address of this time. */
export function connect(allowed: Allowed): Promise<Connection> {
  const caller = serviceCaller('identity', allowed.org_id);
  const { account_id, client_id, org_id, client_name, redirect_uri, scopes, project_id = null, limited_client_id = null } = allowed;
  const attempt = async () => {
    const now = new Date();
    const known = await unscoped(ConnectionModel).findOne({ account_id, client_id, org_id });
    if (known === null) {
      const state = { ...allowed, _id: randomUUID(), created_at: now, last_used_at: null, expires_at: expiryFrom(now), revoked_at: null };
      return insertChange(ConnectionModel, caller, new Change(state, [audited('agent.connected', state)]));
    }
    const renewed = known.revoked_at === null ? {} : { revoked_at: null, created_at: now, last_used_at: null };
    const state = { ...renewed, client_name, redirect_uri, scopes, project_id, limited_client_id, expires_at: expiryFrom(now) };
    return saveChange(ConnectionModel, caller, known, new Change(state, [audited('agent.connected', { ...known, client_name })]));
  };
  return saveWithRetry(caller, () =>
    attempt().catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
      return attempt();
    }),
  );
}

export const connectionsWith = (account_id: string, client_id: string): Promise<Connection[]> =>
  unscoped(ConnectionModel).find({ account_id, client_id, ...live() }, { limit: wholeListCap });

/** An account's connections in all its organizations, newest first, up to the cap of lists. */
export const connectionsOf = (account_id: string): Promise<Connection[]> =>
  unscoped(ConnectionModel).find({ account_id, ...live() }, { sort: { created_at: -1 }, limit: wholeListCap });

/** A connection of the account, also a revoked one; or null. */
export const connectionOf = (account_id: string, _id: string): Promise<Connection | null> =>
  unscoped(ConnectionModel).findOne({ _id, account_id });

export const isConnected = async (_id: string): Promise<boolean> => (await unscoped(ConnectionModel).findOne({ _id, ...live() })) !== null;

/** Takes the consent back, audited; false if that was done before. Its grants are revoked after it. */
export const disconnect = (account_id: string, _id: string): Promise<boolean> => {
  const caller = serviceCaller('identity');
  return saveWithRetry(caller, async () => {
    const connection = await connectionOf(account_id, _id);
    if (connection === null || connection.revoked_at !== null) return false;
    const own = { ...caller, principal: { ...caller.principal, org_id: connection.org_id } };
    await saveChange(ConnectionModel, own, connection, new Change({ revoked_at: new Date() }, [audited('agent.revoked', connection)]));
    return true;
  });
};

/** Disconnects all agents of an account and ends their tokens. Returns their names, those connected last first. */
export async function disconnectAll(account_id: string): Promise<string[]> {
  const names = new Set<string>();
  for (let found = wholeListCap; found === wholeListCap; ) {
    const connections = await connectionsOf(account_id);
    found = connections.length;
    for (const { _id, client_name } of connections) {
      await disconnect(account_id, _id);
      names.add(client_name);
    }
  }
  await revokeGrants({ account_id });
  return [...names];
}

/** Records when connections were last used. */
export const recordConnectionUses = (uses: readonly Pick<Connection, '_id' | 'last_used_at'>[]): Promise<void> =>
  unscoped(ConnectionModel).updateEach(
    uses.map(({ _id, last_used_at }) => [{ _id }, { $max: { last_used_at, expires_at: expiryFrom(new Date()) } }]),
  );

export const forgetConnections = (account_id: string): Promise<unknown> =>
  unscoped(ConnectionModel).updateMany(
    { account_id },
    { $set: { revoked_at: new Date(), expires_at: new Date(), client_name: '-', redirect_uri: 'forgotten:' } },
  );
