import { watchOrgPolicies } from '@webkiln/org-policy';
import { call } from '@webkiln/rpc';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newKey, newOrganization, operator, refusal, useIdentity } from '../testing/running-identity.ts';
import { assignKeyPlaces } from './key-store.ts';

const limit = 8;

useIdentity();
beforeAll(() => watchOrgPolicies('identity', { QUOTA_KEYS: limit }));

type StoredKey = {
  _id: string;
  org_id: string;
  revoked_at: Date | null;
  replaced_by: string | null;
  place: number | null;
  outbox: object[];
};
const stored = () => mongoose.connection.collection<StoredKey>('keys');
const liveKeys = (org_id: string) => stored().find({ org_id, revoked_at: null, replaced_by: null }).toArray();
const rotate = (org: string, key_id: string) => call('identity.RotateKey', { key_id, grace_hours: 1 }, operator(org));

test('while keys are rotated no other key takes their places: a full organization stays full, and each key has one place', async () => {
  const org = await newOrganization();
  let ids: string[] = [];
  for (let made = 0; made < limit; made++) ids.push((await newKey(org)).id);
  for (let round = 0; round < 5; round++) {
    const creations = Promise.allSettled(Array.from({ length: 20 }, () => newKey(org)));
    ids = (await Promise.all(ids.map((id) => rotate(org, id)))).map(({ key }) => key?.id ?? '');
    const refusals = (await creations).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome.value));
    expect(refusals).toEqual(Array(20).fill(refusal('quota_exceeded')));
  }
  expect((await liveKeys(org)).map(({ place }) => place).toSorted()).toEqual(Array.from({ length: limit }, (_, place) => place));
  await call('identity.RevokeKey', { key_id: ids[0] ?? '' }, operator(org));
  await newKey(org);
  await expect(newKey(org)).rejects.toEqual(refusal('quota_exceeded'));
});

/**
 * Eight rotations at once, while a transaction of another process holds the keys until each has tried again more than
 * seven times, or until MongoDB ends it.
 */
async function rotateHeld(org: string, ids: readonly string[]) {
  const { connection } = mongoose;
  // The relay writes to keys whose events are not published yet: the holder would conflict with it.
  await until(async () => (await stored().countDocuments({ org_id: org, outbox: { $ne: [] } })) === 0);
  const holder = await connection.startSession();
  holder.startTransaction();
  await stored().updateMany({ org_id: org }, { $set: { last_used_at: new Date() } }, { session: holder });
  await connection.db?.command({ profile: 2 });
  const profile = connection.collection('system.profile');
  let ended = 0;
  const rotations = ids.map((id) => rotate(org, id).finally(() => ended++));
  const outcomes = Promise.allSettled(rotations);
  await until(async () => ended === ids.length || (await profile.countDocuments({ errCode: 112 })) > ids.length * 7);
  await connection.db?.command({ profile: 0 });
  await profile.drop();
  await holder.abortTransaction();
  await holder.endSession();
  return (await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'rotated'));
}

test('eight rotations at once wait for another transaction of the key: one replaces it, the others are told so', async () => {
  const org = await newOrganization();
  const { id } = await newKey(org);
  const outcomes = await rotateHeld(org, Array(8).fill(id));
  expect(outcomes.filter((outcome) => outcome === 'rotated')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome !== 'rotated')).toEqual(Array(7).fill(refusal('validation_failed', 'key_id')));
});

test('after eight rotations of a key at once exactly one successor lives: the one that replaced it', async () => {
  const org = await newOrganization();
  const { id } = await newKey(org);
  const [first] = await liveKeys(org);
  await rotateHeld(org, Array(8).fill(id));
  const replaced = await stored().findOne({ _id: id });
  expect(await liveKeys(org)).toEqual([expect.objectContaining({ _id: replaced?.replaced_by, place: first?.place })]);
});

test('rotations of eight keys at once wait for another transaction of the keys, and all succeed', async () => {
  const org = await newOrganization();
  const ids: string[] = [];
  for (let made = 0; made < 8; made++) ids.push((await newKey(org)).id);
  expect(await rotateHeld(org, ids)).toEqual(Array(8).fill('rotated'));
});

test('keys without a place get one at the next start, also those that expire later', async () => {
  const org = await newOrganization();
  const expires_at = new Date(Date.now() + 3600_000).toISOString();
  const { id } = await newKey(org, { expires_at });
  await stored().updateOne({ _id: id }, { $set: { place: null } });
  await assignKeyPlaces();
  expect((await liveKeys(org)).map(({ place }) => place)).toEqual([0]);
});
