import type { Caller, Change } from '@webkiln/messages';
import { placedQuota, type Quota } from '@webkiln/standing';
import { assignPlaces, inTransaction, type Session, unscoped, where } from '@webkiln/store';
import type { KeyState } from './key.ts';
import { insertReplacing, type Key, KeyModel, saveKey } from './key-store.ts';

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

/** Adds the successor of a key, which takes over its place in `replaceWith`. */
export const insertSuccessor = (caller: Caller, state: KeyState): Promise<Key> => insertReplacing(caller, { ...state, place: null });

/** Gives places to keys without one; an expired key loses it again. */
export const assignKeyPlaces = () =>
  assignPlaces(KeyModel, { field: 'place', by: ['org_id'], live: { revoked_at: null, replaced_by: null } });

/**
 * Replaces a key. Its successor takes over its place in the same transaction, so no other key can take it meanwhile,
 * and a crash loses none.
 */
export async function replaceWith(caller: Caller, key: Key, successor: Key, change: Change<Partial<KeyState>>): Promise<void> {
  const { org_id } = key;
  if (Object.keys(change.state).length === 0) return;
  const replace = async (session: Session) => {
    const keys = unscoped(KeyModel, session);
    const held = await keys.findOne({ _id: key._id, org_id }, { fields: ['place'] });
    await saveKey(caller, key, change, { org_id, session });
    await keys.updateOne({ _id: successor._id, org_id }, { $set: { place: held?.place ?? null } });
  };
  await inTransaction(KeyModel, replace, caller);
}
