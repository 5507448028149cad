import { AppError, type Change } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineGlobalModel, type GlobalStored, insertChange, saveChange, unscoped, where } from '@webkiln/store';
import { audited } from '../audit/audited.ts';
import type { KeyState } from './key.ts';
import type { JudgedKey } from './key-verdict.ts';

type Key = GlobalStored<KeyState>;

// Global: a key is looked up before anybody knows whose it is. Every other access names the organization.
export const KeyModel = defineGlobalModel<KeyState>(
  'keys',
  {
    org_id: { type: String, required: true },
    hash: { type: String, required: true },
    prefix: { type: String, required: true },
    name: { type: String, required: true },
    permissions: { type: [String], required: true },
    created_by: { type: String, default: null },
    creator_role: { type: String, default: null },
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, default: null },
    expires_at: { type: Date, default: null },
    revoked_at: { type: Date, default: null },
    replaced_by: { type: String, default: null },
  },
  {
    indexes: [[{ hash: 1 }, { unique: true }], [{ org_id: 1, created_at: -1, _id: 1 }], [{ org_id: 1, created_by: 1 }]],
  },
);

const targetOf = ({ _id, name }: Pick<KeyState, '_id' | 'name'>) => ({ kind: 'key', id: _id, name });

const ownedBy = ({ principal }: Caller) => ({ org_id: principal.org_id });

/** A key that an earlier attempt of the same request made was never shown, so it takes the new text. */
export async function insertKey(caller: Caller, state: KeyState): Promise<Key> {
  const key = await insertChange(KeyModel, caller, { state, events: [audited(caller, 'key.created', targetOf(state))] });
  const { hash, prefix } = state;
  return key.hash === hash ? key : saveChange(KeyModel, caller, key, { state: { hash, prefix }, events: [] });
}

/** Throws `edited_meanwhile` when the key is not at that revision any more. */
export async function saveKey(caller: Caller, key: Key, change: Change<Partial<KeyState>>): Promise<Key> {
  if (Object.keys(change.state).length === 0) return key;
  const action = change.state.revoked_at ? 'key.revoked' : 'key.rotated';
  return saveChange(KeyModel, caller, key, { ...change, events: [...change.events, audited(caller, action, targetOf(key))] });
}

/** Throws `key_not_found`. */
export async function keyById(caller: Caller, _id: string): Promise<Key> {
  const key = await unscoped(KeyModel).findOne({ _id, ...ownedBy(caller) });
  if (key === null) throw new AppError('key_not_found');
  return key;
}

/** Newest first. */
export const allKeys = (caller: Caller): Promise<Key[]> => unscoped(KeyModel).find(ownedBy(caller), { sort: { created_at: -1, _id: 1 } });

/** Of the caller's organization; of those that are not there is none. */
export async function keysById(caller: Caller, ids: readonly string[]): Promise<Map<string, Pick<Key, 'name' | 'prefix'>>> {
  const found = await unscoped(KeyModel).find({ _id: where({ $in: ids }), ...ownedBy(caller) }, { fields: ['name', 'prefix'] });
  return new Map(found.map((key) => [key._id, key]));
}

/** Those that are not revoked. */
export const keysCreatedBy = (caller: Caller, member_id: string): Promise<Key[]> =>
  unscoped(KeyModel).find({ created_by: member_id, revoked_at: null, ...ownedBy(caller) });

/** Keys of any organization by their hashes; of those that do not exist there is none. */
export async function keysByHash(hashes: readonly string[]): Promise<Map<string, JudgedKey>> {
  const found = await unscoped(KeyModel).find(
    { hash: where({ $in: hashes }) },
    { fields: ['hash', 'org_id', 'permissions', 'creator_role', 'expires_at', 'revoked_at'] },
  );
  return new Map(found.map(({ hash, ...key }) => [hash, key]));
}

/** Notes when keys were last used; a later time stays. */
export async function recordUses(uses: readonly Pick<KeyState, '_id' | 'org_id' | 'last_used_at'>[]): Promise<void> {
  await unscoped(KeyModel).updateEach(uses.map(({ _id, org_id, last_used_at }) => [{ _id, org_id }, { $max: { last_used_at } }]));
}
