import { createHash, createHmac } from 'node:crypto';
import { apiKeyTexts, parseApiKey, validate } from '@webkiln/contract';
import { watchOrgPolicies } from '@webkiln/org-policy';
import { call } from '@webkiln/rpc';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newKey, newOrganization, operator, refusal, useIdentity } from '../testing/running-identity.ts';
import {
  assertMayManageKey,
  changeKey,
  introspectKey,
  isLive,
  type KeyState,
  NewKey,
  openKey,
  replaceKey,
  revokeKey,
  successorOf,
  toKey,
} from './key.ts';
import { keyHash, newSecret } from './key-secret.ts';
import { assignKeyPlaces } from './key-store.ts';

describe('key', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);
  const draft = { _id: 'k1', org_id: 'o1', name: 'CI', permissions: ['read' as const], expires_at: null, prefix: 'wk_abcde', hash: 'h1' };
  const key = openKey(draft, null, now);
  const stored = { prefix: 'wk_fghij', hash: 'h2' };
  const successor = { _id: 'k2', rotated_by: 'm2', ...stored };
  const invalid = (path: string) => expect.objectContaining({ code: 'validation_failed', details: [expect.objectContaining({ path })] });
  const keyChanged = [{ type: 'internal.key.changed', data: { key_id: 'k1', org_id: 'o1' } }];

  test('only the HMAC under the pepper of a key’s SHA-256 and its first 8 characters are stored', () => {
    const { secret, stored } = newSecret(keyHash([Buffer.from('pepper')]), apiKeyTexts);
    expect(parseApiKey(secret)).toBe(secret);
    expect(stored).toEqual({
      prefix: secret.slice(0, 8),
      hash: createHmac('sha256', 'pepper').update(createHash('sha256').update(secret).digest()).digest('base64url'),
    });
  });

  test('the public record of a key contains neither its hash nor its organization', () => {
    expect(toKey(key)).toEqual({
      id: 'k1',
      prefix: 'wk_abcde',
      name: 'CI',
      permissions: ['read'],
      created_by: null,
      created_at: '2026-01-01T00:00:00.000Z',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      replaced_by: null,
      creator_role: null,
      rotated_by: null,
      allowed_networks: [],
      rate_limit: null,
      client_id: null,
      project_id: null,
    });
  });

  test.each(['owner', 'admin', 'developer'] as const)('the key of a %s records its creator and their role at that time', (role) => {
    expect(openKey(draft, { _id: 'm1', role }, now)).toMatchObject({ created_by: 'm1', creator_role: role });
  });

  test.each([
    ['owner', 'owner', true],
    ['owner', 'admin', true],
    ['owner', null, true],
    ['admin', 'owner', false],
    ['admin', 'developer', true],
    ['admin', null, false],
    ['developer', 'owner', false],
    ['developer', 'admin', false],
    ['developer', 'developer', true],
    ['viewer', 'developer', false],
  ] as const)('a member who is %s may manage a key with the role %s: %s', (role, creator_role, isAllowed) => {
    const manage = () => assertMayManageKey({ role }, { ...key, creator_role });
    if (isAllowed) expect(manage).not.toThrow();
    else
      expect(manage).toThrow(expect.objectContaining({ code: 'role_missing', message: expect.stringContaining(creator_role ?? 'owner') }));
  });

  test('a viewer cannot create a key', () => {
    expect(() => openKey(draft, { _id: 'm1', role: 'viewer' }, now)).toThrow(invalid('created_by'));
  });

  test('a new key must expire in the future', () => {
    expect(() => openKey({ ...draft, expires_at: now }, null, now)).toThrow(invalid('expires_at'));
    expect(openKey({ ...draft, expires_at: hours(1) }, null, now).expires_at).toEqual(hours(1));
  });

  test.each([
    { permissions: [] },
    { permissions: ['read', 'admin'] },
    { name: '' },
    { name: 'x'.repeat(201) },
    { expires_at: 'tomorrow' },
    { expires_at: '2026-13-01T00:00:00Z' },
  ])('%j makes no key', (wrong) => {
    expect(() => validate(NewKey, { name: 'CI', permissions: ['read'], ...wrong })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
  });

  test('permissions are deduplicated and ordered', () => {
    expect(validate(NewKey, { name: 'CI', permissions: ['write', 'read', 'write'] })).toMatchObject({ permissions: ['read', 'write'] });
  });

  test('a successor keeps the old key’s name, permissions, creator, role and expiry, and records who rotated it', () => {
    const { _id, created_at, ...rest } = openKey({ ...draft, expires_at: hours(48) }, { _id: 'm1', role: 'developer' }, now);
    expect(successorOf({ _id, created_at, ...rest, last_used_at: now }, successor, hours(1))).toEqual({
      ...rest,
      ...successor,
      created_at: hours(1),
    });
  });

  test('the old key works for the grace period, but not beyond its own expiry', () => {
    const replaced = (state: KeyState, grace: number) => replaceKey(state, 'k2', grace, now);
    expect(replaced(key, 24)).toEqual({ state: { replaced_by: 'k2', expires_at: hours(24) }, events: keyChanged });
    expect(replaced(key, 0).state.expires_at).toEqual(now);
    expect(replaced({ ...key, expires_at: hours(2) }, 24).state.expires_at).toEqual(hours(2));
  });

  test('only a live key that has not been rotated can be rotated', () => {
    const rotate = (state: KeyState) => () => successorOf(state, successor, now);
    expect(rotate({ ...key, revoked_at: now })).toThrow(invalid('key_id'));
    expect(rotate({ ...key, expires_at: now })).toThrow(invalid('key_id'));
    expect(rotate({ ...key, replaced_by: 'k3' })).toThrow(invalid('key_id'));
  });

  test('a retried rotation does not change the old key again, even if it has expired since', () => {
    const replaced = { ...key, ...replaceKey(key, 'k2', 0, now).state };
    expect(successorOf(replaced, successor, hours(1)).replaced_by).toBeNull();
    expect(replaceKey(replaced, 'k2', 24, hours(1))).toEqual({ state: {}, events: [] });
  });

  test('revoking raises one event, once', () => {
    const { state, events } = revokeKey(key, now);
    expect({ state, events }).toEqual({ state: { revoked_at: now }, events: keyChanged });
    expect(revokeKey({ ...key, ...state }, hours(1))).toEqual({ state: {}, events: [] });
  });

  test('a key is live until the moment it expires', () => {
    expect(isLive({ revoked_at: null, expires_at: hours(1) }, new Date(hours(1).getTime() - 1))).toBe(true);
    expect(isLive({ revoked_at: null, expires_at: hours(1) }, hours(1))).toBe(false);
  });

  const admission = { rate_limit: 500, suspended: false, requests_limit: undefined };

  test('introspection describes a live key; unknown, revoked and expired keys give one and the same result', () => {
    expect(introspectKey({ ...key, expires_at: hours(1) }, admission, now)).toEqual({
      valid: true,
      key_id: 'k1',
      org_id: 'o1',
      permissions: ['read'],
      restricted_permissions: [],
      expires_at: '2026-01-01T01:00:00.000Z',
      ...admission,
      role: null,
      allowed_networks: [],
      key_rate_limit: null,
    });
    const unknown = introspectKey(undefined, admission, now);
    expect(unknown).toEqual({ valid: false, key_id: '', org_id: '', permissions: [], restricted_permissions: [] });
    expect(introspectKey({ ...key, revoked_at: now }, admission, now)).toEqual(unknown);
    expect(introspectKey({ ...key, expires_at: now }, admission, now)).toEqual(unknown);
  });

  test.each(['client_id', 'project_id'])('a release that knows no %s finds no permission in a key with one, stored or told', (bound) => {
    const restricted = openKey({ ...draft, [bound]: 'x1' }, null, now);
    const state = changeKey(restricted, { permissions: ['write', 'read'] }, now)?.state;
    const next = successorOf({ ...restricted, ...state }, successor, now);
    for (const [found, restricted_permissions] of [
      [restricted, ['read']],
      [next, ['read', 'write']],
    ] as const) {
      expect(found).toMatchObject({ permissions: [], restricted_permissions, [bound]: 'x1' });
      expect(introspectKey(found, admission, now)).toMatchObject({ permissions: [], restricted_permissions, [bound]: 'x1' });
      expect(toKey(found)).toMatchObject({ permissions: restricted_permissions, [bound]: 'x1' });
    }
  });

  test('a key is of one client or one project, and then for records alone', () => {
    expect(() => openKey({ ...draft, client_id: 'c1', project_id: 'p1' }, null, now)).toThrow(invalid('project_id'));
    expect(() => openKey({ ...draft, project_id: 'p1', permissions: ['read', 'keys'] }, null, now)).toThrow(invalid('permissions'));
    const limited = openKey({ ...draft, project_id: 'p1' }, null, now);
    expect(() => changeKey(limited, { permissions: ['audit'] }, now)).toThrow(invalid('permissions'));
  });
});

describe('key places', () => {
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
});
