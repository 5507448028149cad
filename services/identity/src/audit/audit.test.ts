import { randomUUID } from 'node:crypto';
import type { EventEnvelope } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { inTransaction } from '@webkiln/store';
import mongoose from 'mongoose';
import { ErasedAddresses } from '../accounts/erased-addresses.ts';
import { MemberModel } from '../members/member-store.ts';
import { eraseInIdentity } from '../reactions/on-organization-erased.ts';
import { newMember, newOrganization, operator, present, useIdentity } from '../testing/running-identity.ts';
import { accountAuditEvent } from './account-audit-event.ts';
import { type EntryState, hashOfEntry, nextEntry, noEntries, verdictOn, withoutNames, withoutPerson } from './audit-entry.ts';
import { append, entriesAfter } from './audit-store.ts';

useIdentity();

describe('the hashes of entries', () => {
  const [org, ada, grace] = ['org', randomUUID(), randomUUID()];

  /** The entry of an act of Ada through an agent on an invited address. */
  function entryOf(target = { kind: 'email', id: 'Grace@Example.com', name: 'viewer' as string | null }): EntryState {
    const data = { actor: { kind: 'account', id: ada, agent: 'Claude' }, action: 'invitation.sent' as const, target };
    const event: EventEnvelope<'internal.audited'> = {
      ...{ id: randomUUID(), type: 'internal.audited', timestamp: new Date().toISOString(), org_id: org, api_version: 'v1' },
      data,
    };
    return nextEntry(org, noEntries, randomUUID(), event, { email: 'ada@example.com', ip_prefix: '192.0.2.0/24', target });
  }

  /** As releases before salts stored it. */
  function unsalted(): EntryState {
    const { actor_salt: _actor, target_salt: _target, hash: _hash, ...made } = entryOf();
    const entry = { ...made, actor: { ...made.actor, agent: null } };
    return { ...entry, hash: hashOfEntry(org, entry) };
  }

  const verdict = (entry: EntryState, isErased = false) => verdictOn(org, entry, isErased);
  const asAda = { account_id: ada, addresses: ['ada@example.com'] };
  const asGrace = { account_id: grace, addresses: ['grace@example.com'] };

  test('an entry verifies after the names in it were removed, one after the other or all at once', () => {
    const entry = entryOf();
    expect(verdict(entry)).toBe('genuine');
    const withoutActor = { ...entry, ...withoutPerson(entry, asAda) };
    expect(withoutActor).toMatchObject({
      actor: { id: ada, email: null, agent: null },
      ip_prefix: null,
      target: entry.target,
      hash: entry.hash,
    });
    const withoutBoth = { ...withoutActor, ...withoutPerson(withoutActor, asGrace) };
    expect(withoutBoth).toMatchObject({ target: { kind: 'email', id: '', name: null }, people: [] });
    for (const reduced of [withoutActor, withoutBoth, { ...entry, ...withoutNames(entry) }]) expect(verdict(reduced)).toBe('genuine');
    expect(JSON.stringify(withoutBoth)).not.toMatch(/example\.com|192\.0\.2/i);
    expect([withoutBoth.actor_salt, withoutBoth.target_salt]).toEqual([null, null]);
  });

  test('removing one person changes nothing that names another', () => {
    const own = entryOf({ kind: 'account', id: grace, name: 'grace@example.com' });
    expect({ ...own, ...withoutPerson(own, { account_id: randomUUID(), addresses: ['grace@example.com'] }) }).toMatchObject({
      actor: own.actor,
      target: own.target,
    });
    const role = entryOf({ kind: 'account', id: grace, name: 'viewer' });
    expect({ ...role, ...withoutPerson(role, asGrace) }).toMatchObject({ target: role.target, people: [ada] });
  });

  test.each([
    ['the actor', { actor: { kind: 'account', id: ada, email: 'other@example.com', agent: null } }],
    ['the agent', { actor: { kind: 'account', id: ada, email: 'ada@example.com', agent: 'Other' } }],
    ['the network', { ip_prefix: null }],
    ['the target', { target: { kind: 'email', id: 'other@example.com', name: 'viewer' } }],
    ['the action', { action: 'member.removed' as const }],
    ['the time', { at: new Date(0).toISOString() }],
  ])('an entry does not verify when %s was changed, as it was made or by an earlier release', (_what, change) => {
    for (const entry of [entryOf(), unsalted()]) expect(verdict({ ...entry, ...change })).toBe('broken');
  });

  test.each([
    ['what it still says', { action: 'member.removed' as const }],
    ['whom its actor was', { actor: { kind: 'account', id: grace, email: null, agent: null } }],
    ['a name was put back', { actor: { kind: 'account', id: ada, email: 'other@example.com', agent: null } }],
    ['an agent was put back', { actor: { kind: 'account', id: ada, email: null, agent: 'Claude' } }],
    ['a target was put back', { target: { kind: 'email', id: 'other@example.com', name: null } }],
  ])('a reduced entry does not verify when %s was changed', (_what, change) => {
    const entry = entryOf();
    expect(verdict({ ...entry, ...withoutNames(entry), ...change })).toBe('broken');
  });

  test('an entry of an earlier release verifies until something is removed; then only its order does', () => {
    const entry = unsalted();
    expect(verdict(entry)).toBe('genuine');
    const reduced = { ...entry, ...withoutPerson(entry, asAda) };
    expect(reduced.actor).toEqual({ kind: 'account', id: ada, email: null, agent: null });
    expect(verdict(reduced)).toBe('unverifiable');
    const { is_unverifiable: _new, ...byEarlierRelease } = { ...entry, ...withoutNames(entry) };
    expect([verdict(byEarlierRelease), verdict(byEarlierRelease, true)]).toEqual(['broken', 'unverifiable']);
  });

  test('equal acts of one person have different digests: none can be recognized by another', () => {
    const [one, other] = [entryOf(), entryOf()].map((entry) => withoutNames(entry));
    expect(one?.actor_digest).not.toBe(other?.actor_digest);
    expect(one?.target_digest).not.toBe(other?.target_digest);
  });
});

describe('acts of accounts', () => {
  test('an action is logged for the organizations that the account belonged to at the time, regardless of later changes', async () => {
    const [one, other, later] = [await newOrganization(), await newOrganization(), await newOrganization()];
    const email = `${randomUUID()}@example.com`;
    const member = await newMember(one, 'owner', email);
    await newMember(other, 'viewer', email);
    const account = present(await mongoose.connection.collection('accounts').findOne({ email_folded: email }));
    const { data } = await accountAuditEvent(String(account._id), 'password.changed');
    await call('identity.RemoveMember', { member_id: member }, operator(one));
    await newMember(later, 'viewer', email);
    expect(data).toMatchObject({ org_ids: [one, other], account_id: String(account._id) });
    expect((await accountAuditEvent(String(account._id), 'password.changed')).data).toMatchObject({ org_ids: [other, later] });
  });

  test('an action of an account without an organization is in no log', async () => {
    expect((await accountAuditEvent(randomUUID(), 'password.changed')).data).toMatchObject({ org_ids: [] });
  });
});

describe('an erased organization', () => {
  const erased = new ErasedAddresses({ digestMaster: Buffer.from('secret') });

  const audited = (org_id: string) =>
    ({
      id: randomUUID(),
      type: 'internal.audited',
      org_id,
      timestamp: new Date().toISOString(),
      api_version: 'v1',
      data: {
        actor: { kind: 'account', id: 'ada' },
        action: 'client.created',
        target: { kind: 'client', id: 'client', name: 'Grace' },
        ip_prefix: '192.0.2.0/24',
      },
    }) as unknown as EventEnvelope<'internal.audited'>;

  test('what is audited after an organization was erased is logged with ids alone, after the entries before it', async () => {
    const org_id = randomUUID();
    const event = audited(org_id);
    const shown = { email: 'ada@example.com', ip_prefix: '192.0.2.0/24', target: { kind: 'client', id: 'client', name: 'Grace' } } as const;
    const log = () => inTransaction(MemberModel, (session) => append(org_id, session, [{ event: { ...event, id: randomUUID() }, shown }]));
    await log();
    await eraseInIdentity(org_id, erased);
    await log();
    const entries = await entriesAfter({ org_id }, 0, 10);
    expect(entries.map(({ actor, target, ip_prefix }) => ({ actor, target, ip_prefix }))).toEqual(
      Array(2).fill({
        actor: { kind: 'account', id: 'ada', email: null, agent: null },
        target: { kind: 'client', id: 'client', name: null },
        ip_prefix: null,
      }),
    );
    expect(entries[1]?.previous_hash).toBe(entries[0]?.hash);
    expect(await eraseInIdentity(org_id, erased)).toBe(0);
  });
});
