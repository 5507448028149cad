import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { type Collection, MongoClient } from 'mongodb';
import { agency, eventually } from '../harness/agency.ts';
import { owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { findMember, newMember } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';

type Entries = Collection<{ _id: string; org_id: string; sequence: number }>;

interface Entry {
  readonly action: string;
  readonly hash: string;
  readonly previous_hash: string;
  readonly actor: { readonly email: string | null };
}

/** Waits until the organization's audit log contains all these actions, and returns its entries. */
const logWith = (boss: Person, actions: readonly string[]): Promise<Entry[]> =>
  eventually(async () => {
    const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body as { entries: Entry[] };
    const found = new Set(entries.map(({ action }) => action));
    const missing = actions.filter((action) => !found.has(action));
    if (missing.length > 0) throw new Error(`not in the log: ${missing}`);
    return entries;
  });

test('listAudit: contains what is done to webhooks, once each, with their address', async () => {
  const boss = await owner();
  const [before, after] = ['https://hooks.example.com/one', 'https://hooks.example.com/two'];
  const { webhook } = (await boss.api.post('/webhooks', { url: before, events: ['client.created'] })).expect(201).body;
  (await boss.api.patch(`/webhooks/${webhook.id}`, { url: after })).expect(200);
  (await boss.api.patch(`/webhooks/${webhook.id}`, { url: after })).expect(200);
  (await boss.api.post(`/webhooks/${webhook.id}/rotate-secret`)).expect(200);
  (await boss.api.delete(`/webhooks/${webhook.id}`)).expect(200);
  const entries = await logWith(boss, ['webhook.deleted']);
  const target = { kind: 'webhook', id: webhook.id };
  expect(entries.filter(({ action }) => action.startsWith('webhook.')).toReversed()).toMatchObject([
    { action: 'webhook.created', target: { ...target, name: before }, actor: { email: boss.email } },
    { action: 'webhook.changed', target: { ...target, name: after }, actor: { email: boss.email } },
    { action: 'webhook.rotated', target, actor: { email: boss.email } },
    { action: 'webhook.deleted', target, actor: { email: boss.email } },
  ]);
});

test('listAudit: contains every sensitive action once, with its actor, and each entry is chained to the one before', async () => {
  const boss = await owner();
  const { key } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
  (await boss.api.post(`/account/keys/${key.id}/rotate`, {})).expect(201);
  (await boss.api.delete(`/account/keys/${key.id}`)).expect(200);
  const dev = await newMember(boss, 'developer');
  const { id } = await findMember(dev, boss);
  (await boss.api.patch(`/account/members/${id}`, { role: 'viewer' })).expect(200);
  (await boss.api.delete(`/account/members/${id}`)).expect(200);
  (await boss.api.patch('/account/organization', { accent_color: '#123456' })).expect(200);
  const { totpURI } = (await boss.auth('/two-factor/enable', { password: boss.password })).expect(200).body;
  (await boss.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
  (await boss.auth('/two-factor/generate-backup-codes', { password: boss.password })).expect(200);
  (await boss.auth('/two-factor/disable', { password: boss.password })).expect(200);
  (await boss.auth('/change-password', { currentPassword: boss.password, newPassword: 'the new password' })).expect(200);
  const stranger = new Person({ email: boss.email });
  for (let tried = 0; tried < 10; tried++) (await stranger.signIn('wrong password')).expect(401);

  const entries = await logWith(boss, [
    ...['session.started', 'sign_in.blocked', 'password.changed', 'second_factor.on', 'second_factor.off', 'backup_codes.renewed'],
    ...['key.created', 'key.rotated', 'key.revoked', 'invitation.sent'],
    ...['member.added', 'member.changed', 'member.removed', 'organization.changed'],
  ]);
  expect(entries.filter(({ action }) => action === 'key.revoked')).toMatchObject([
    { actor: { kind: 'account', email: boss.email }, target: { kind: 'key', id: key.id, name: 'CI' } },
  ]);
  expect(entries.filter(({ action }) => action === 'session.started')).toMatchObject([
    { ip_prefix: expect.stringMatching(/^10\..*\.0\/24$/) },
  ]);
  entries.slice(0, -1).forEach((entry, at) => void expect(entry.previous_hash).toBe(entries[at + 1]?.hash));
  expect(entries.at(-1)?.previous_hash).toBe('');
});

test('listAudit: answers 403 to an admin', async () => {
  const boss = await owner();
  const admin = await newMember(boss, 'admin');
  (await admin.api.get('/account/audit')).expect(403, 'role_missing');
  await logWith(boss, ['member.added']);
});

test.each([
  ['changed', (entries: Entries, _id: string) => entries.updateOne({ _id }, { $set: { 'target.name': 'another' } })],
  ['removed', (entries: Entries, _id: string) => entries.deleteOne({ _id })],
])('verification finds the break in the chain when an entry was %s', async (_how, tamper) => {
  const boss = await owner();
  const org_id = (await boss.api.get('/account/session')).expect(200).body.organization.id;
  for (const name of ['one', 'two', 'three']) (await boss.api.post('/account/keys', { name, permissions: ['read'] })).expect(201);
  await eventually(async () => expect((await boss.api.get('/account/audit')).body.total).toBe(5));
  await agency();
  const verify = () => call('identity.VerifyAudit', {}, callerFor(operatorPrincipal(org_id), { timeoutMs: 60_000 }));
  expect(await verify()).toEqual({ entries: 5, unverifiable: 0 });
  const client = await MongoClient.connect(sharedPlatform().urls.MONGODB_URL);
  try {
    const entries: Entries = client.db('webkiln_identity').collection('audit_entries');
    const third = await entries.findOne({ org_id, sequence: 3 });
    await tamper(entries, third?._id ?? '');
  } finally {
    await client.close();
  }
  expect(await verify()).toEqual({ entries: 2, unverifiable: 0, broken_at: expect.any(String) });
});

test('a stolen database reveals no session, no mailed link and no second factor', async () => {
  const ada = await owner();
  (await ada.auth('/request-password-reset', { email: ada.email })).expect(200);
  const { totpURI, backupCodes } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
  const secret = new URL(totpURI).searchParams.get('secret') ?? '';
  const token = ada.cookies.get('__Host-webkiln_session')?.split('.')[0] ?? '';
  const client = await MongoClient.connect(sharedPlatform().urls.MONGODB_URL);
  try {
    const database = client.db('webkiln_identity');
    const stored: string[] = [];
    for (const { name } of await database.listCollections().toArray()) {
      stored.push(JSON.stringify(await database.collection(name).find().toArray()));
    }
    const all = stored.join('\n');
    expect(all).toContain(ada.email);
    for (const shown of [token, secret, ada.password, ...backupCodes]) expect(all).not.toContain(shown);
    expect(all).not.toContain('reset-password:');
  } finally {
    await client.close();
  }
});
