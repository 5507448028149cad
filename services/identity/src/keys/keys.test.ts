import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { apiKeyTexts, formatApiKey, parseApiKey, type Role, sessionTokenDigest, validate } from '@webkiln/contract';
import { listen } from '@webkiln/events';
import type { Caller, Idempotency } from '@webkiln/messages';
import { watchOrgPolicies } from '@webkiln/org-policy';
import { call } from '@webkiln/rpc';
import { nextMillisecond, requestsOn, until } from '@webkiln/store/testing';
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
import { foundUnder, keyHash, keyOutcomes, newSecret } from './key-secret.ts';
import { assignKeyPlaces } from './key-store.ts';
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
