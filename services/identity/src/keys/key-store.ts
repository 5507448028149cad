import { AppError } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import { placedQuota, type Quota } from '@webkiln/org-policy';
import {
  assignPlaces,
  defineGlobalModel,
  definitionOf,
  type GlobalStored,
  insertChange,
  inTransaction,
  placeIndex,
  recordsBy,
  type Scope,
  type Session,
  saveChange,
  unscoped,
  where,
} from '@webkiln/store';
import { type IntrospectedKey, type KeyState, StoredKey } from './key.ts';
import type { Rehash } from './key-secret.ts';

type Key = GlobalStored<KeyState>;

// Global: a key is looked up before its organization is known. Every other access filters by organization.
const KeyModel = defineGlobalModel<KeyState>(
  'keys',
  {
    ...definitionOf(StoredKey),
    org_id: { type: String, required: true },
    hash: { type: String, required: true },
    restricted_permissions: { type: [String], default: [] },
    place: { type: Number, default: null },
  },
  {
    exportedAs: 'keys',
    raisesEvents: true,
    indexes: [
      [{ hash: 1 }, { unique: true }],
      [{ org_id: 1, created_at: -1, _id: 1 }],
      [{ org_id: 1, created_by: 1 }],
      [{ org_id: 1, rotated_by: 1 }],
      placeIndex('place'),
    ],
  },
);

const targetOf = ({ _id, name }: Pick<KeyState, '_id' | 'name'>) => ({ kind: 'key', id: _id, name });

const ownedBy = ({ principal }: Caller) => ({ org_id: principal.org_id });

const addition = (caller: Caller, state: KeyState) => new Change(state, [auditEvent(caller, 'key.created', targetOf(state))]);

/**
 * If an earlier attempt of the same request added the key, its secret was never shown, so the new one replaces it.
 */
async function insertReplacing(caller: Caller, state: KeyState): Promise<Key> {
  const key = await insertChange(KeyModel, caller, addition(caller, state));
  const { hash, prefix } = state;
  return key.hash === hash ? key : saveChange(KeyModel, caller, key, new Change({ hash, prefix }, []));
}

/** Throws `edited_meanwhile` if the key has changed since it was read. */
export async function saveKey(caller: Caller, key: Key, change: Change<Partial<KeyState>>, scope: Scope = caller): Promise<Key> {
  if (Object.keys(change.state).length === 0) return key;
  const action = change.state.revoked_at ? 'key.revoked' : 'key.rotated';
  const act = auditEvent(caller, action, targetOf(key));
  return saveChange(KeyModel, scope, key, change.withState({ place: null }).withAudit(act));
}

/** Saves what a member changed. Throws `edited_meanwhile` if the key has changed since it was read. */
export function saveKeyFields(caller: Caller, key: Key, change: Change<Partial<KeyState>>): Promise<Key> {
  const target = { ...targetOf(key), name: `${key.name}: ${Object.keys(change.state).join(', ')}` };
  return saveChange(KeyModel, caller, key, change.withAudit(auditEvent(caller, 'key.changed', target)));
}

/** Throws `key_not_found`. */
export async function keyById(caller: Caller, _id: string): Promise<Key> {
  const key = await unscoped(KeyModel).findOne({ _id, ...ownedBy(caller) });
  if (key === null) throw new AppError('key_not_found');
  return key;
}

/** Newest first. */
export const allKeys = (caller: Caller): Promise<Key[]> => unscoped(KeyModel).find(ownedBy(caller), { sort: { created_at: -1, _id: 1 } });

/** The named keys of the caller's organization; others are absent. */
export async function keysById(caller: Caller, ids: readonly string[]): Promise<Map<string, Pick<Key, 'name' | 'prefix'>>> {
  const found = await unscoped(KeyModel).find({ _id: where({ $in: ids }), ...ownedBy(caller) }, { fields: ['name', 'prefix'] });
  return new Map(found.map((key) => [key._id, key]));
}

/** The keys that the member created or was shown by a rotation, and that are not revoked. */
export async function keysKnownTo(caller: Caller, member_id: string): Promise<Key[]> {
  const live = { revoked_at: null, ...ownedBy(caller) };
  const found = await Promise.all([
    unscoped(KeyModel).find({ created_by: member_id, ...live }),
    unscoped(KeyModel).find({ rotated_by: member_id, created_by: where({ $ne: member_id }), ...live }),
  ]);
  return found.flat();
}

const introspected = recordsBy(KeyModel, 'hash', [
  ...(['org_id', 'permissions', 'restricted_permissions', 'creator_role', 'expires_at', 'revoked_at'] as const),
  ...(['allowed_networks', 'rate_limit', 'client_id', 'project_id'] as const),
]);

/** Keys of any organization by their hashes; unknown hashes are absent. */
export async function keysByHash(hashes: readonly string[]): Promise<Map<string, IntrospectedKey>> {
  return new Map((await introspected(hashes)).map(({ hash, ...key }) => [hash, key]));
}

/** Changes the hashes of keys; a key that was replaced meanwhile stays as it is. */
export const rehashKeys = (rehashes: readonly Rehash[]): Promise<unknown> =>
  unscoped(KeyModel).updateEach(rehashes.map(({ from, to }) => [{ hash: from }, { $set: { hash: to } }]));

/** Records when keys were last used; an earlier time than the stored one changes nothing. */
export async function recordUses(uses: readonly Pick<KeyState, '_id' | 'org_id' | 'last_used_at'>[]): Promise<void> {
  await unscoped(KeyModel).updateEach(uses.map(({ _id, org_id, last_used_at }) => [{ _id, org_id }, { $max: { last_used_at } }]));
}

const places = placedQuota('keys', (org_id) => ({ model: KeyModel, scope: { org_id }, within: { org_id }, field: 'place' }));

/** Keys that are neither revoked nor replaced have a place in the organization's quota, expired ones until a count. */
export const keyQuota: Quota = {
  name: places.name,
  async used(org_id) {
    await freeExpired(org_id);
    return places.used(org_id);
  },
};

async function freeExpired(org_id: string): Promise<void> {
  const expired = { org_id, expires_at: where<Date | null>({ $lt: new Date() }), place: where<number>({ $gte: 0 }) };
  await unscoped(KeyModel).updateMany(expired, { $set: { place: null } });
}

/** Adds a key at a free place; expired keys have none. Throws `quota_exceeded`. */
export async function insertKey(caller: Caller, state: KeyState): Promise<Key> {
  const { _id, org_id } = state;
  if ((await unscoped(KeyModel).findOne({ _id, org_id })) !== null) return insertReplacing(caller, state);
  await freeExpired(org_id);
  return places.insert(org_id, (place) => insertReplacing(caller, { ...state, place }));
}

/** Gives places to keys without one; an expired key loses it again. */
export const assignKeyPlaces = () =>
  assignPlaces(KeyModel, { field: 'place', by: ['org_id'], live: { revoked_at: null, replaced_by: null } });

/**
 * Replaces a key by its successor, which takes over its place. Both are one transaction: a rotation that loses against
 * another one adds nothing, no other key can take the place meanwhile, and a crash loses none. A change that is empty
 * means that an earlier attempt of the request has done it. Throws `edited_meanwhile`.
 */
export async function replaceWith(caller: Caller, key: Key, successor: KeyState, change: Change<Partial<KeyState>>): Promise<Key> {
  if (Object.keys(change.state).length === 0) return insertReplacing(caller, successor);
  const { org_id } = key;
  const replace = async (session: Session) => {
    const held = await unscoped(KeyModel, session).findOne({ _id: key._id, org_id }, { fields: ['place'] });
    await saveKey(caller, key, change, { org_id, session });
    return insertChange(KeyModel, { org_id, session }, addition(caller, { ...successor, place: held?.place ?? null }));
  };
  return inTransaction(KeyModel, replace, caller);
}
