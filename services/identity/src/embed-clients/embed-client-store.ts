import { AppError, type AuditAction, wholeListCap } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineModel, gatheredById, gatheredPage, insertChange, removeChange, type Scope, type Stored, saveChange } from '@webkiln/store';
import { audited } from '../audit/audited.ts';
import type { EmbedClientState } from './embed-client.ts';

export type EmbedClientRecord = Stored<EmbedClientState>;

export const EmbedClientModel = defineModel<EmbedClientState>(
  'embed_clients',
  {
    name: { type: String, required: true },
    allowed_origins: { type: [String], required: true },
    secret_hash: { type: String, required: true },
    secret_prefix: { type: String, required: true },
    previous_secret_hash: { type: String, default: null },
    previous_secret_until: { type: Date, default: null },
    rotation: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { indexes: [[{ org_id: 1, created_at: -1, _id: 1 }]] },
);

const told = (caller: Caller, action: AuditAction, { _id, name }: Pick<EmbedClientState, '_id' | 'name'>) =>
  audited(caller, action, { kind: 'embed_client', id: _id, name });

/** One that an earlier attempt of the same request made is returned as that made it. */
export const insertEmbedClient = (caller: Caller, state: EmbedClientState): Promise<EmbedClientRecord> =>
  insertChange(EmbedClientModel, caller, { state, events: [told(caller, 'embed_client.created', state)] });

/** Throws `edited_meanwhile` when the client is not at that revision any more. Without an action the log is told nothing. */
export const saveEmbedClient = (
  caller: Caller,
  current: EmbedClientRecord,
  state: Partial<EmbedClientState>,
  action?: AuditAction,
): Promise<EmbedClientRecord> =>
  saveChange(EmbedClientModel, caller, current, { state, events: action === undefined ? [] : [told(caller, action, current)] });

export const deleteEmbedClient = (caller: Caller, current: EmbedClientRecord): Promise<void> =>
  removeChange(EmbedClientModel, caller, current, [told(caller, 'embed_client.deleted', current)]);

const byId = gatheredById(EmbedClientModel);

/** Throws `embed_client_not_found`. */
export async function embedClientById(scope: Scope, id: string): Promise<EmbedClientRecord> {
  const client = await byId(scope, id);
  if (client === null) throw new AppError('embed_client_not_found');
  return client;
}

const shown = ['name', 'allowed_origins', 'secret_prefix', 'previous_secret_until', 'created_at'] as const;
const page = gatheredPage(EmbedClientModel, { fields: shown, sort: { created_at: -1, _id: 1 } });

/** Newest first, and how many there are in all; without a limit everything up to the cap. */
export const embedClientPage = (scope: Scope, { limit = wholeListCap, offset }: { limit?: number; offset: number }) =>
  page(scope, {}, { limit, offset });
