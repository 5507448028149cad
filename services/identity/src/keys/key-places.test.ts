import { call } from '@webkiln/rpc';
import { startStandings } from '@webkiln/standing';
import mongoose from 'mongoose';
import { newKey, newOrganization, operator, refusal, useIdentity } from '../testing/running-identity.ts';
import { assignKeyPlaces } from './key-places.ts';

const limit = 5;

useIdentity();
beforeAll(() => startStandings('identity', { QUOTA_KEYS: limit }));

type StoredKey = { _id: string; org_id: string; revoked_at: Date | null; replaced_by: string | null; place: number | null };
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
  expect((await liveKeys(org)).map(({ place }) => place).toSorted()).toEqual([0, 1, 2, 3, 4]);
  await call('identity.RevokeKey', { key_id: ids[0] ?? '' }, operator(org));
  await newKey(org);
  await expect(newKey(org)).rejects.toEqual(refusal('quota_exceeded'));
});

test('keys without a place get one at the next start, also those that expire later', async () => {
  const org = await newOrganization();
  const expires_at = new Date(Date.now() + 3600_000).toISOString();
  const { id } = await newKey(org, { expires_at });
  await stored().updateOne({ _id: id }, { $set: { place: null } });
  await assignKeyPlaces();
  expect((await liveKeys(org)).map(({ place }) => place)).toEqual([0]);
});
