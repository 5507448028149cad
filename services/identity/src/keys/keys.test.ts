import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { formatApiKey, type Role, sessionTokenDigest } from '@webkiln/contract';
import { listen } from '@webkiln/events';
import type { Caller, Idempotency } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { nextMillisecond, requestsOn } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { accessTokensBy, consumeToken, insertToken, tokenBy } from '../oauth/store/token-store.ts';
import { verifySessions } from '../sessions/session-use-cases.ts';
import {
  apiKeyOf,
  digestOf,
  introspectKeys,
  newKey,
  newMember,
  newOrganization,
  operator,
  pepper,
  present,
  refusal,
  service,
  sessionOf,
  useIdentity,
} from '../testing/running-identity.ts';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { foundUnder, keyHash, keyOutcomes } from './key-secret.ts';
import { createKey, rotateKey, verifyKeys } from './key-use-cases.ts';

describe('keys', () => {
  useIdentity();

  test('fifty of a hundred keys are verified with one indexed query that reads only those keys', async () => {
    const orgs = [await newOrganization(), await newOrganization()];
    const keys = await Promise.all(Array.from({ length: 100 }, (_, index) => newKey(orgs[index % 2] ?? '', { name: randomUUID() })));
    const asked = keys.slice(0, 50);
    const operations = await requestsOn('keys', () => introspectKeys(...asked.map(({ secret }) => secret)));
    expect(operations).toEqual([expect.objectContaining({ op: 'query', planSummary: 'IXSCAN { hash: 1 }', docsExamined: 50 })]);
  });

  describe('introspection', () => {
    let org: string;
    beforeAll(async () => {
      org = await newOrganization();
    });

    const refused = {
      valid: false,
      key_id: '',
      org_id: '',
      permissions: [],
      restricted_permissions: [],
      suspended: false,
      allowed_networks: [],
    };
    const unknown = () => formatApiKey(randomBytes(32));
    const rotate = (key_id: string, grace_hours: number) => call('identity.RotateKey', { key_id, grace_hours }, operator(org));
    const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));
    /** Moves the key's expiry into the past. */
    const expire = (id: string) =>
      mongoose.connection.collection<{ _id: string }>('keys').updateOne({ _id: id }, { $set: { expires_at: new Date(Date.now() - 1) } });

    test('introspection of a key returns its organization, permissions and expiry', async () => {
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      const key = await newKey(org, { permissions: ['write', 'read'], expires_at });
      expect(await introspectKeys(key.secret)).toEqual([
        expect.objectContaining({ valid: true, key_id: key.id, org_id: org, permissions: ['read', 'write'], expires_at }),
      ]);
    });

    test('unknown, revoked and expired keys give one and the same introspection result', async () => {
      const [revoked, expired] = [await newKey(org), await newKey(org)];
      await revoke(revoked.id);
      await expire(expired.id);
      for (const result of await introspectKeys(unknown(), revoked.secret, expired.secret)) expect(result).toEqual(refused);
    });

    test("introspection results are in the order of the request, each with its own organization's id and quota", async () => {
      const other = await newOrganization({ rate_limit: 7 });
      const [own, foreign] = [await newKey(org), await newKey(other)];
      const results = await introspectKeys(foreign.secret, unknown(), own.secret, foreign.secret);
      expect(results.map(({ org_id, key_id, rate_limit }) => ({ org_id, key_id, rate_limit }))).toEqual([
        { org_id: other, key_id: foreign.id, rate_limit: 7 },
        { org_id: '', key_id: '', rate_limit: undefined },
        { org_id: org, key_id: own.id, rate_limit: undefined },
        { org_id: other, key_id: foreign.id, rate_limit: 7 },
      ]);
    });

    test('after a rotation both keys work for the grace period; without one only the new key works', async () => {
      const [graceful, abrupt] = [await newKey(org), await newKey(org)];
      const [next, instead] = [await rotate(graceful.id, 24), await rotate(abrupt.id, 0)];
      const [old, fresh, ended, other] = await introspectKeys(graceful.secret, next.secret, abrupt.secret, instead.secret);
      expect(old).toMatchObject({ valid: true, key_id: graceful.id });
      const leftMs = Date.parse(old?.expires_at ?? '') - Date.now();
      expect(leftMs).toBeGreaterThan(23 * 3_600_000);
      expect(leftMs).toBeLessThanOrEqual(24 * 3_600_000);
      expect(fresh).toEqual({
        valid: true,
        key_id: next.key?.id,
        org_id: org,
        permissions: ['read'],
        restricted_permissions: [],
        suspended: false,
        allowed_networks: [],
      });
      expect(ended).toEqual(refused);
      expect(other).toMatchObject({ valid: true, key_id: instead.key?.id });

      await expire(graceful.id);
      expect(await introspectKeys(graceful.secret)).toEqual([refused]);
    });

    test('a rotated key cannot be rotated again, but its successor can', async () => {
      const key = await newKey(org);
      const next = await rotate(key.id, 24);
      await expect(rotate(key.id, 24)).rejects.toThrow(refusal('validation_failed', 'key_id'));
      await expect(rotate(next.key?.id ?? '', 24)).resolves.toMatchObject({ key: { name: 'CI' } });
    });

    test.each([-1, 25])('a grace period of %d hours is refused and changes nothing', async (hours) => {
      const key = await newKey(org);
      await expect(rotate(key.id, hours)).rejects.toThrow(refusal('validation_failed', 'grace_hours'));
      expect(await introspectKeys(key.secret)).toEqual([
        {
          valid: true,
          key_id: key.id,
          org_id: org,
          permissions: ['read'],
          restricted_permissions: [],
          suspended: false,
          allowed_networks: [],
        },
      ]);
    });
  });

  describe('management', () => {
    let org: string;
    beforeAll(async () => {
      org = await newOrganization();
    });

    const rotate = (key_id: string, grace_hours: number) => call('identity.RotateKey', { key_id, grace_hours }, operator(org));
    const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));

    test('revoking a revoked key succeeds and keeps the first time', async () => {
      const key = await newKey(org);
      const first = await revoke(key.id);
      expect(await revoke(key.id)).toEqual(first);
    });

    test('twenty concurrent revocations of one key all succeed and write it once', async () => {
      const key = await newKey(org);
      const replies = await Promise.all(Array.from({ length: 20 }, () => revoke(key.id)));
      expect(new Set(replies.map((reply) => reply.key?.revoked_at)).size).toBe(1);
      const stored = await mongoose.connection.collection<{ _id: string; revision: number }>('keys').findOne({ _id: key.id });
      expect(stored?.revision).toBe(2);
    });

    test("another organization's key cannot be listed, rotated or revoked, and is reported as not found", async () => {
      const other = await newOrganization();
      const foreign = await newKey(other);
      const missing = refusal('key_not_found');
      await expect(revoke(foreign.id)).rejects.toThrow(missing);
      await expect(rotate(foreign.id, 0)).rejects.toThrow(missing);
      await expect(revoke('no-such-key')).rejects.toThrow(missing);
      const { keys } = await call('identity.ListKeys', {}, operator(org));
      expect(keys.map(({ id }) => id)).not.toContain(foreign.id);
      expect(await introspectKeys(foreign.secret)).toEqual([expect.objectContaining({ valid: true, org_id: other })]);
    });

    test('keys are listed newest first with their name and prefix, and never with the secret', async () => {
      const own = await newOrganization();
      const first = await newKey(own, { name: 'first' });
      await nextMillisecond();
      const second = await newKey(own, { name: 'second', permissions: ['write'] });
      const { keys } = await call('identity.ListKeys', {}, operator(own));
      expect(keys.map(({ name, prefix, permissions }) => ({ name, prefix, permissions }))).toEqual([
        { name: 'second', prefix: second.secret.slice(0, 8), permissions: ['write'] },
        { name: 'first', prefix: first.secret.slice(0, 8), permissions: ['read'] },
      ]);
      for (const secret of [first.secret, second.secret]) expect(JSON.stringify(keys)).not.toContain(secret.slice(8));
    });

    test('the last use is the latest that any gateway reports, in any order, and reports for another organization are ignored', async () => {
      const key = await newKey(org);
      const used = (last_used_at: string, org_id = org) => ({ key_id: key.id, org_id, last_used_at });
      const record = (...uses: ReturnType<typeof used>[]) => call('identity.RecordKeyUse', { uses }, service('gateway'));
      await record(used('2026-01-02T00:00:00.000Z'), used('2026-01-01T00:00:00.000Z'));
      await record(used('2026-01-01T12:00:00.000Z'), used('2027-01-01T00:00:00.000Z', await newOrganization()));
      const { keys } = await call('identity.ListKeys', {}, operator(org));
      expect(keys.find(({ id }) => id === key.id)?.last_used_at).toBe('2026-01-02T00:00:00.000Z');
    });

    test('developers can be a key’s creator; viewers and members of other organizations cannot', async () => {
      const [viewer, developer] = [await newMember(org, 'viewer'), await newMember(org, 'developer')];
      const stranger = await newMember(await newOrganization(), 'owner');
      await expect(newKey(org, { created_by: viewer })).rejects.toThrow(refusal('validation_failed', 'created_by'));
      await expect(newKey(org, { created_by: stranger })).rejects.toThrow(refusal('member_not_found'));
      expect(await newKey(org, { created_by: developer })).toMatchObject({ created_by: developer });
    });

    test('no key is created for an unknown organization', async () => {
      await expect(newKey('no-such-organization')).rejects.toThrow(refusal('organization_not_found'));
      await expect(newKey('')).rejects.toThrow(refusal('organization_not_found'));
    });

    test('an API key cannot verify, list, create, rotate or revoke keys', async () => {
      const key = await newKey(org);
      const caller = apiKeyOf(org);
      const missing = refusal('permission_missing');
      await expect(call('identity.VerifyKeys', { key_digests: [digestOf(key.secret)] }, caller)).rejects.toThrow(missing);
      await expect(call('identity.RecordKeyUse', { uses: [] }, caller)).rejects.toThrow(missing);
      await expect(call('identity.ListKeys', {}, caller)).rejects.toThrow(missing);
      await expect(call('identity.CreateKey', { name: 'CI', permissions: ['read'] }, caller)).rejects.toThrow(missing);
      await expect(call('identity.RotateKey', { key_id: key.id }, caller)).rejects.toThrow(missing);
      await expect(call('identity.RevokeKey', { key_id: key.id }, caller)).rejects.toThrow(missing);
      expect(await introspectKeys(key.secret)).toEqual([expect.objectContaining({ valid: true })]);
    });

    test('a service cannot list or create keys', async () => {
      const caller = service('gateway', org);
      const missing = refusal('permission_missing');
      await expect(call('identity.ListKeys', {}, caller)).rejects.toThrow(missing);
      await expect(call('identity.CreateKey', { name: 'CI', permissions: ['read'] }, caller)).rejects.toThrow(missing);
    });
  });

  describe('rights', () => {
    type Members = Record<Exclude<Role, 'viewer'>, { id: string; caller: Caller }>;

    let org: string;
    let members: Members;
    beforeEach(async () => {
      org = await newOrganization();
      const added = (['owner', 'admin', 'developer'] as const).map(async (role) => {
        const id = await newMember(org, role);
        return [role, { id, caller: await sessionOf(org, id, role) }] as const;
      });
      members = Object.fromEntries(await Promise.all(added)) as Members;
    });

    const rotate = (key_id: string, caller: Caller) => call('accounts.RotateKey', { key_id, grace_hours: 0 }, caller);
    const revoke = (key_id: string, caller: Caller) => call('accounts.RevokeKey', { key_id }, caller);
    const isValid = async (secret: string) => (await introspectKeys(secret))[0]?.valid;

    test("a developer can neither rotate nor revoke an owner's or an operator's key, and both keep working", async () => {
      const keys = [await newKey(org, { created_by: members.owner.id }), await newKey(org)];
      for (const key of keys) {
        for (const { caller } of [members.developer, members.admin]) {
          for (const manage of [rotate, revoke]) await expect(manage(key.id, caller)).rejects.toThrow(refusal('role_missing', ''));
        }
        expect(await isValid(key.secret)).toBe(true);
      }
      const { keys: listed } = await call('accounts.ListKeys', {}, members.owner.caller);
      expect(listed.map(({ replaced_by = null, creator_role = null }) => [replaced_by, creator_role])).toEqual([
        [null, null],
        [null, 'owner'],
      ]);
    });

    test("members rotate and revoke the keys of their own role and of lesser ones, owners also an operator's", async () => {
      const { id } = await newKey(org, { created_by: members.developer.id });
      const { key: rotated } = await rotate(id, members.admin.caller);
      expect(rotated).toMatchObject({ created_by: members.developer.id, creator_role: 'developer', rotated_by: members.admin.id });
      await revoke(rotated?.id ?? '', members.developer.caller);
      const { key: theirs } = await rotate((await newKey(org)).id, members.owner.caller);
      expect(theirs).toMatchObject({ rotated_by: members.owner.id });
      expect([theirs?.created_by, theirs?.creator_role]).toEqual([undefined, undefined]);
    });

    test('a demoted member loses the right to rotate the key that the former role created', async () => {
      const key = await newKey(org, { created_by: members.admin.id });
      await call('accounts.ChangeMember', { member_id: members.admin.id, role: 'developer', update_mask: ['role'] }, members.owner.caller);
      await expect(rotate(key.id, members.admin.caller)).rejects.toThrow(refusal('role_missing', ''));
    });

    const remove = (member_id: string, revoke_keys: boolean, caller: Caller) =>
      call('accounts.RemoveMember', { member_id, revoke_keys }, caller);

    test('removing a member returns and revokes the keys that the member rotated, beside those it created', async () => {
      const own = await newKey(org, { created_by: members.developer.id });
      const { key, secret } = await rotate((await newKey(org, { created_by: members.admin.id })).id, members.admin.caller);
      const other = await rotate((await newKey(org, { created_by: members.developer.id })).id, members.admin.caller);
      const untouched = await newKey(org, { created_by: members.owner.id });
      const removed = await remove(members.admin.id, true, members.owner.caller);
      expect(removed.keys.map(({ id }) => id)).toEqual(expect.arrayContaining([key?.id, other.key?.id]));
      expect([await isValid(secret), await isValid(other.secret)]).toEqual([false, false]);
      expect([await isValid(own.secret), await isValid(untouched.secret)]).toEqual([true, true]);
    });

    test('an admin cannot remove a member and revoke a key with more rights than an admin: nothing changes', async () => {
      const former = await newMember(org, 'owner');
      const key = await newKey(org, { created_by: former });
      await call('accounts.ChangeMember', { member_id: former, role: 'developer', update_mask: ['role'] }, members.owner.caller);
      await expect(remove(former, true, members.admin.caller)).rejects.toThrow(refusal('role_missing', ''));
      expect(await isValid(key.secret)).toBe(true);
      const { keys } = await remove(former, true, members.owner.caller);
      expect(keys).toMatchObject([{ id: key.id, revoked_at: expect.any(String) }]);
    });
  });

  describe('secrecy', () => {
    let org: string;
    beforeAll(async () => {
      org = await newOrganization();
    });

    const request = { name: 'CI', permissions: ['read'] };
    const repeatable = (): Idempotency => ({ id: randomUUID(), body: 'body', explicit: true });

    test('the database contains no key’s text, even after requests with an Idempotency-Key created or rotated it', async () => {
      const plain = await newKey(org);
      const made = await call('identity.CreateKey', request, { ...operator(org), idempotency: repeatable() });
      const rotated = await call(
        'identity.RotateKey',
        { key_id: plain.id, grace_hours: 1 },
        { ...operator(org), idempotency: repeatable() },
      );
      const stolen = await stolenDatabase();
      expect(stolen.includes(plain.prefix)).toBe(true);
      for (const { secret } of [plain, made, rotated]) {
        expect(stolen.includes(secret)).toBe(false);
        expect(stolen.includes(secret.slice(8))).toBe(false);
        expect(stolen.toString('latin1')).not.toContain(Buffer.from(secret).toString('base64').slice(0, -4));
      }
    });

    test('a repeated request with the same Idempotency-Key returns the same key and creates only one', async () => {
      const own = await newOrganization();
      const idempotency = repeatable();
      const first = await call('identity.CreateKey', request, { ...operator(own), idempotency });
      const again = await call('identity.CreateKey', request, { ...operator(own), idempotency });
      expect(again).toEqual(first);
      const { keys } = await call('identity.ListKeys', {}, operator(own));
      expect(keys).toHaveLength(1);
    });

    // After a crash between write and response, the idempotency guard runs the request again with the same ids.
    const attempt = (idempotency: Idempotency, orgId: string) => ({
      ...operator(orgId),
      idempotency,
      signal: new AbortController().signal,
    });

    test('if the process dies after creating a key, the retry returns that key with a working secret, and there is only one', async () => {
      const own = await newOrganization();
      const idempotency = repeatable();
      const [create] = createKey(keyHash([pepper]));
      const lost = await create.run(request, attempt(idempotency, own));
      const shown = await create.run(request, attempt(idempotency, own));
      expect(await introspectKeys(lost.secret ?? '', shown.secret ?? '')).toMatchObject([
        { valid: false },
        { valid: true, key_id: lost.key?.id },
      ]);
      const { keys } = await call('identity.ListKeys', {}, operator(own));
      expect(keys).toMatchObject([{ prefix: shown.secret?.slice(0, 8) }]);
    });

    test('if the process dies after rotating a key, the retry returns the new key, and there is only one', async () => {
      const own = await newOrganization();
      const old = await newKey(own);
      const idempotency = repeatable();
      const [rotate] = rotateKey(keyHash([pepper]));
      const lost = await rotate.run({ key_id: old.id, grace_hours: 0 }, attempt(idempotency, own));
      const shown = await rotate.run({ key_id: old.id, grace_hours: 0 }, attempt(idempotency, own));
      expect(await introspectKeys(old.secret, lost.secret ?? '', shown.secret ?? '')).toMatchObject([
        { valid: false },
        { valid: false },
        { valid: true, key_id: lost.key?.id },
      ]);
      const { keys } = await call('identity.ListKeys', {}, operator(own));
      expect(keys).toHaveLength(2);
    });
  });

  describe('broadcasts', () => {
    /** Emits the id of each key whose change is broadcast. */
    const changed = new EventEmitter();

    let org: string;
    beforeAll(async () => {
      org = await newOrganization();
      listen('internal.key.changed', ({ data }) => changed.emit(data.key_id, data));
    });

    /** Resolves with the next event about the key, as every listener receives it. */
    const nextChangeOf = async (keyId: string) => (await once(changed, keyId))[0];
    const revoke = (key_id: string) => call('identity.RevokeKey', { key_id }, operator(org));

    test('a revocation is broadcast to every listener, and introspection then reports the key as invalid', async () => {
      const key = await newKey(org);
      const change = nextChangeOf(key.id);
      await revoke(key.id);
      expect(await change).toEqual({ key_id: key.id, org_id: org });
      expect(await introspectKeys(key.secret)).toMatchObject([{ valid: false }]);
    });

    test('a rotation is broadcast to every listener, so that caches drop the old key’s expiry', async () => {
      const key = await newKey(org);
      const change = nextChangeOf(key.id);
      await call('identity.RotateKey', { key_id: key.id, grace_hours: 1 }, operator(org));
      expect(await change).toEqual({ key_id: key.id, org_id: org });
    });

    test('removing a member together with their keys broadcasts each revoked key', async () => {
      const member = await newMember(org, 'developer');
      const keys = [await newKey(org, { created_by: member }), await newKey(org, { created_by: member })];
      const change = Promise.all(keys.map(({ id }) => nextChangeOf(id)));
      await call('identity.RemoveMember', { member_id: member, revoke_keys: true }, operator(org));
      expect(await change).toEqual(keys.map(({ id }) => ({ key_id: id, org_id: org })));
    });

    test('revoking a revoked key broadcasts nothing', async () => {
      const [key, next] = [await newKey(org), await newKey(org)];
      let times = 0;
      changed.on(key.id, () => {
        times += 1;
      });
      await revoke(key.id);
      await revoke(key.id);
      const change = nextChangeOf(next.id);
      await revoke(next.id);
      await change;
      expect(times).toBe(1);
    });
  });
});

describe('pepper rotation', () => {
  useIdentity();

  const fresh = randomBytes(32);
  const [old, both, renewed] = [keyHash([pepper]), keyHash([fresh, pepper]), keyHash([fresh])];
  const gateway = () => ({ ...service('gateway'), signal: new AbortController().signal });

  const isValid = async (hashOf: typeof both, secret: string) => {
    const { verdicts } = await verifyKeys(hashOf).run({ key_digests: [digestOf(secret)] }, gateway());
    return present(verdicts?.[0]).valid;
  };

  test('a key that is used while both peppers are listed works without the old one; one that is not ends with it', async () => {
    const org = await newOrganization();
    const [used, unused] = [await newKey(org), await newKey(org)];
    expect(await isValid(both, used.secret)).toBe(true);
    expect(await isValid(renewed, used.secret)).toBe(true);
    expect(await isValid(both, used.secret)).toBe(true);
    expect(await isValid(renewed, unused.secret)).toBe(false);
    expect(await isValid(both, unused.secret)).toBe(true);
  });

  test('the keys of a batch are looked up under all peppers by one indexed query', async () => {
    const org = await newOrganization();
    const secrets = [await newKey(org), await newKey(org)].map(({ secret }) => digestOf(secret));
    const operations = await requestsOn('keys', () => verifyKeys(keyHash([pepper, fresh])).run({ key_digests: secrets }, gateway()));
    expect(operations).toHaveLength(1);
    expect(operations[0]?.planSummary).toMatch(/^IXSCAN/);
  });

  test('a session that is used while both peppers are listed works without the old one', async () => {
    const digest = sessionTokenDigest(randomUUID());
    const session = {
      _id: randomUUID(),
      token_hash: old(digest),
      account_id: randomUUID(),
      org_id: '',
      created_at: new Date(),
      updated_at: new Date(),
      expires_at: new Date(Date.now() + 60_000),
      ended_at: null,
    };
    await mongoose.connection.collection<{ _id: string }>('sessions').insertOne(session);
    const valid = async (hashOf: typeof both) => {
      const { verdicts } = await verifySessions(hashOf).run({ session_digests: [digest] }, gateway());
      return present(verdicts?.[0]).valid;
    };
    expect(await valid(renewed)).toBe(false);
    expect(await valid(both)).toBe(true);
    expect(await valid(renewed)).toBe(true);
  });

  test('a token of OAuth is found and used up under whichever pepper it was stored, and stored only once', async () => {
    const digest = randomBytes(32).toString('base64url');
    const token = {
      kind: 'access' as const,
      org_id: randomUUID(),
      grant_id: randomUUID(),
      payload: '{}',
      expires_at: new Date(Date.now() + 60_000),
    };
    await insertToken(old.all(digest), token);
    await insertToken(both.all(digest), token);
    expect(await tokenBy(renewed.all(digest), 'access')).toBeNull();
    expect(foundUnder(await accessTokensBy(both.all(digest)), both.all(digest))?.record.grant_id).toBe(token.grant_id);
    expect(await consumeToken(present(await tokenBy(both.all(digest), 'access')), new Date())).toBe(true);
    expect(await consumeToken(present(await tokenBy(both.all(digest), 'access')), new Date())).toBe(false);
  });

  test('a stored answer opens while the pepper that sealed it is listed', () => {
    const sealed = keyOutcomes([pepper]).seal('org', Buffer.from('answer'));
    for (const peppers of [
      [pepper, fresh],
      [fresh, pepper],
    ] as const)
      expect(Buffer.from(keyOutcomes(peppers).open('org', sealed)).toString()).toBe('answer');
    expect(() => keyOutcomes([fresh]).open('org', sealed)).toThrow();
  });
});
