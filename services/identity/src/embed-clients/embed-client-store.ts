import { AppError, type AuditAction, wholeListCap } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { placedQuota } from '@webkiln/org-policy';
import {
  acrossOrganizations,
  assignPlaces,
  batchedById,
  coalescedPage,
  defineModel,
  definitionOf,
  fieldsOf,
  insertChange,
  placeIndex,
  removeChange,
  type Scope,
  type Stored,
  saveChange,
  scoped,
  type WholePage,
  where,
} from '@webkiln/store';
import type { Rehash } from '../keys/key-secret.ts';
import { type EmbedClientState, StoredEmbedClient } from './embed-client.ts';

export type EmbedClientRecord = Stored<EmbedClientState>;

export const EmbedClientModel = defineModel<EmbedClientState>(
  'embed_clients',
  {
    ...definitionOf(StoredEmbedClient),
    secret_hash: { type: String, required: true },
    previous_secret_hash: { type: String, default: null },
    rotation: { type: String, required: true },
    place: { type: Number, default: null },
  },
  { exportedAs: 'embed-clients', raisesEvents: true, indexes: [[{ org_id: 1, created_at: -1, _id: 1 }], placeIndex('place')] },
);

const auditEventOf = (caller: Caller, action: AuditAction, { _id, name }: Pick<EmbedClientState, '_id' | 'name'>) =>
  auditEvent(caller, action, { kind: 'embed_client', id: _id, name });

export const embedClientQuota = placedQuota('embed_clients', (org_id) => ({
  model: EmbedClientModel,
  scope: { org_id },
  within: {},
  field: 'place',
}));

/**
 * If an earlier attempt of the same request added the client, that one is returned unchanged. Throws `quota_exceeded`.
 */
export async function insertEmbedClient(caller: Caller, state: EmbedClientState): Promise<EmbedClientRecord> {
  const events = [auditEventOf(caller, 'embed_client.created', state)];
  const { org_id } = caller.principal;
  return (
    (await byId(caller, state._id)) ??
    embedClientQuota.insert(org_id, (place) => insertChange(EmbedClientModel, caller, new Change({ ...state, place }, events)))
  );
}

/** Gives places to embed clients without one. */
export const assignEmbedClientPlaces = () => assignPlaces(EmbedClientModel, { field: 'place', by: ['org_id'] });

/**
 * Throws `edited_meanwhile` if the client has changed since it was read. Without an action the change is not audited.
 */
export const saveEmbedClient = (
  caller: Caller,
  current: EmbedClientRecord,
  state: Partial<EmbedClientState>,
  action?: AuditAction,
): Promise<EmbedClientRecord> =>
  saveChange(EmbedClientModel, caller, current, new Change(state, action === undefined ? [] : [auditEventOf(caller, action, current)]));

export const deleteEmbedClient = (caller: Caller, current: EmbedClientRecord): Promise<void> =>
  removeChange(EmbedClientModel, caller, current, [
    auditEventOf(caller, 'embed_client.deleted', current),
    { type: 'internal.embed_client.deleted', data: { embed_client_id: current._id } },
  ]);

/** Changes the hash of a client's secret; a secret that was replaced meanwhile stays as it is. */
export const rehashEmbedClient = ({ _id, org_id }: EmbedClientRecord, { from, to }: Rehash): Promise<unknown> =>
  scoped(EmbedClientModel, { org_id }).updateOne({ _id, secret_hash: from }, { $set: { secret_hash: to } });

const byId = batchedById(EmbedClientModel);

/** The embed client with this id, in any organization. Null if there is none. */
export async function embedClientAnywhere(_id: string): Promise<EmbedClientRecord | null> {
  const [owner] = await acrossOrganizations(EmbedClientModel).owners('_id', 'created_at', { _id });
  return owner === undefined ? null : byId(owner, owner.key);
}

/** Throws `embed_client_not_found`. */
export async function embedClientById(scope: Scope, id: string): Promise<EmbedClientRecord> {
  const client = await byId(scope, id);
  if (client === null) throw new AppError('embed_client_not_found');
  return client;
}

/** The clients whose secret the member was shown. */
export async function embedClientsKnownTo(scope: Scope, member_id: string): Promise<EmbedClientRecord[]> {
  const found = await Promise.all([
    scoped(EmbedClientModel, scope).find({ created_by: member_id }),
    scoped(EmbedClientModel, scope).find({ rotated_by: member_id, created_by: where({ $ne: member_id }) }),
  ]);
  return found.flat();
}

const page = coalescedPage(EmbedClientModel, { fields: fieldsOf(StoredEmbedClient), sort: { created_at: -1, _id: 1 } });

/** A page, newest first, and the total; without a limit everything up to the cap. */
export const embedClientPage = (scope: Scope, { limit = wholeListCap, offset, cursor }: WholePage) =>
  page(scope, {}, { limit, offset, cursor });
