import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { type Collection, MongoClient } from 'mongodb';
import { agency, byTime, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { operatorOf } from '../harness/operator.ts';
import { owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { findMember, newMember } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';
import { makePlan, makeProject, makeTemplate, someEmail } from './fixtures.ts';

describe('the audit log', () => {
  type Entries = Collection<{ _id: string; org_id: string; sequence: number }>;

  interface Entry {
    readonly at: string;
    readonly action: string;
    readonly hash: string;
    readonly previous_hash: string;
    readonly actor: { readonly email: string | null };
    readonly ip_prefix: string | null;
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
    const entries = await logWith(boss, ['webhook.created', 'webhook.changed', 'webhook.rotated', 'webhook.deleted']);
    const target = { kind: 'webhook', id: webhook.id };
    const acts = entries.filter(({ action }) => action.startsWith('webhook.'));
    expect(acts.toSorted(byTime)).toMatchObject([
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
    const networks = new Set([boss, dev, stranger].map(({ address }) => address.replace(/\.\d+$/, '.0/24')));
    expect(new Set(entries.map(({ ip_prefix }) => ip_prefix))).toEqual(networks);
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
    const token = ada.cookies.get('webkiln_session')?.split('.')[0] ?? '';
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
});

describe('audited acts', () => {
  interface Entry {
    readonly at: string;
    readonly action: string;
    readonly actor: { readonly kind: string; readonly id: string; readonly email: string | null };
    readonly ip_prefix: string | null;
    readonly target: { readonly kind: string; readonly id: string; readonly name: string | null };
  }

  const logOf = async ({ api }: Person): Promise<Entry[]> =>
    ((await api.get('/account/audit?limit=100')).expect(200).body as { entries: Entry[] }).entries;

  /** Waits for so many entries about the target; returns them by their time, as they may be stored in another order. */
  const actsOn = (boss: Person, id: string, count: number): Promise<Entry[]> =>
    eventually(async () => {
      const acts = (await logOf(boss)).filter(({ target }) => target.id === id);
      expect(acts.map(({ action }) => action)).toHaveLength(count);
      return acts.toSorted(byTime);
    });

  let boss: Person;
  let developer: Person;
  let program: { api: Api; id: string };
  beforeAll(async () => {
    boss = await owner();
    developer = await newMember(boss, 'developer');
    const { key, secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
    program = { api: new Api(`${boss.platform.origins[0]}/api/v1`, secret), id: key.id };
  });

  const by = ({ email }: Person) => ({ kind: 'account', email });
  const byProgram = () => ({ kind: 'api_key', id: program.id, email: null });
  test('publishing, rolling back and deleting a project are in the log, stars and drafts are not', async () => {
    const { id } = await makeProject(program.api, undefined, { name: 'Bakery' });
    const path = `/projects/${id}`;
    const publish = async (text: string): Promise<string> =>
      (await program.api.post(`${path}/publish`, { builtFiles: { 'index.html': text } })).expect(200).body.deployId;
    const first = await publish('one');
    await publish('two');
    (await developer.api.patch(path, { starred: true, tags: ['food'] })).expect(200);
    (await developer.api.post(`${path}/deploys/${first}/rollback`)).expect(200);
    (await developer.api.post(`${path}/deploys/${first}/rollback`)).expect(200);
    (await boss.api.delete(path)).expect(200);
    const target = { kind: 'project', id, name: 'Bakery' };
    expect(await actsOn(boss, id, 4)).toMatchObject([
      { action: 'project.published', actor: byProgram(), target },
      { action: 'project.published', actor: byProgram(), target },
      { action: 'project.rolled_back', actor: by(developer), target },
      { action: 'project.deleted', actor: by(boss), target },
    ]);
  });

  test('a client that is created or changed is in the log, under its name or else its address', async () => {
    const email = someEmail();
    const { client } = (await developer.api.post('/clients', { email })).expect(201).body;
    const change = async (fields: object) => void (await program.api.patch(`/clients/${client.id}`, fields)).expect(200);
    await change({});
    await change({ name: 'Ada' });
    await change({ name: 'Ada' });
    (await boss.api.patch(`/clients/${client.id}`, { status: 'suspended' })).expect(200);
    const target = { kind: 'client', id: client.id };
    expect(await actsOn(boss, client.id, 3)).toMatchObject([
      { action: 'client.created', actor: by(developer), target: { ...target, name: email } },
      { action: 'client.changed', actor: byProgram(), target: { ...target, name: 'Ada' } },
      { action: 'client.changed', actor: by(boss), target: { ...target, name: 'Ada' } },
    ]);
  });

  test('a plan that is created, changed or made the default is in the log, once each', async () => {
    const { id } = await makePlan(program.api, { name: 'Care' });
    const change = async (fields: object) => void (await boss.api.patch(`/plans/${id}`, fields)).expect(200);
    await change({ price: 31 });
    await change({ price: 31, is_default: false });
    await change({ is_default: true });
    await change({ name: 'Best care', is_default: true });
    const target = { kind: 'plan', id };
    expect(await actsOn(boss, id, 4)).toMatchObject([
      { action: 'plan.created', actor: byProgram(), target: { ...target, name: 'Care' } },
      { action: 'plan.changed', actor: by(boss), target: { ...target, name: 'Care' } },
      { action: 'default_plan.changed', actor: by(boss), target: { ...target, name: 'Care' } },
      { action: 'plan.changed', actor: by(boss), target: { ...target, name: 'Best care' } },
    ]);
  });

  test('a template that is created, changed or deleted is in the log', async () => {
    const { id } = await makeTemplate(developer.api, { name: 'Starter' });
    (await program.api.patch(`/templates/${id}`, { name: 'Shop' }, { 'x-forwarded-for': '2001:db8:1:2::9' })).expect(200);
    (await program.api.patch(`/templates/${id}`, { name: 'Shop' })).expect(200);
    (await boss.api.delete(`/templates/${id}`)).expect(200);
    expect(await actsOn(boss, id, 3)).toMatchObject([
      { action: 'template.created', actor: by(developer), target: { kind: 'template', name: 'Starter' } },
      { action: 'template.changed', actor: byProgram(), ip_prefix: '2001:db8:1:2::/64', target: { kind: 'template', name: 'Shop' } },
      { action: 'template.deleted', actor: by(boss), target: { kind: 'template', name: 'Shop' } },
    ]);
  });

  test('an export of form submissions is in the log, also of a project without any; a page of them, and one that is refused, is not', async () => {
    const [{ id, name }, other] = [await makeProject(boss.api), await owner()];
    const path = `/projects/${id}/forms/submissions`;
    const asCsv = async (api: Api, query = '', method = 'GET') =>
      (await api.raw(`${path}${query}`, { method, headers: { accept: 'text/csv' } })).status;
    expect(await asCsv(other.api)).toBe(404);
    expect([await asCsv(developer.api, '?limit=10'), await asCsv(developer.api, '', 'HEAD')]).toEqual([200, 200]);
    (await developer.api.get(path)).expect(200);
    expect([await asCsv(developer.api), await asCsv(program.api, '?form=contact')]).toEqual([200, 200]);
    const target = { kind: 'project', id, name };
    expect(await actsOn(boss, id, 2)).toMatchObject([
      { action: 'submissions.exported', actor: by(developer), target },
      { action: 'submissions.exported', actor: byProgram(), target },
    ]);
    expect((await logOf(other)).filter(({ action }) => action === 'submissions.exported')).toEqual([]);
  });

  test('acts of one organization are in no log of another', async () => {
    const other = await owner();
    const { id } = await makeTemplate(other.api);
    await actsOn(other, id, 1);
    const theirs = new Set((await logOf(other)).map(({ target }) => target.id));
    const ours = await logOf(boss);
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ target }) => theirs.has(target.id))).toEqual([]);
  });
});

describe("operators' acts", () => {
  /** An organization with what operators act on. */
  interface Subject {
    readonly id: string;
    readonly slug: string;
    readonly email: string;
    readonly project: string;
    readonly key: string;
  }

  const operator = (orgId = '') => operatorOf(orgId, 'grace');

  async function newSubject(): Promise<Subject> {
    const ours = await agency();
    const { id } = ours.organization;
    const { organization } = await call('identity.GetOrganization', { organization: id }, operator());
    const email = `${crypto.randomUUID()}@example.com`;
    await call('identity.AddMember', { email, role: 'viewer' }, operatorOf(id, 'ada'));
    const [{ keyId }, project] = [await ours.makeKey(['read']), await makeProject(ours.api)];
    return { id, slug: organization?.slug ?? '', email, project: project.id, key: keyId };
  }

  const suspend = ({ id }: Subject) => call('identity.SuspendOrganization', {}, operator(id));
  const deleteIt = ({ id }: Subject) => call('identity.DeleteOrganization', {}, operator(id));
  const takeDown = ({ project }: Subject) => call('sites.TakeDownSite', { site: project, reason: 'spam' }, operator());
  const lock = ({ email }: Subject) => call('identity.LockAccount', { email }, operator());
  const deadLetter =
    (discarded: boolean) =>
    ({ id }: Subject) =>
      call('identity.RecordDeadLetter', { dead_letter_id: 'd1', consumer: 'webhooks-dispatch', discarded }, operator(id));

  const invite = async ({ id }: Subject) => {
    const { member } = await call('identity.AddMember', { email: someEmail(), role: 'owner' }, operatorOf(id, 'ada'));
    return call('identity.InviteMember', { email: someEmail(), role: 'admin', invited_by: member?.id }, operator(id));
  };
  const changeRole = async ({ id, email }: Subject) => {
    const { members } = await call('identity.ListMembers', {}, operator(id));
    const member_id = members.find((member) => member.email === email)?.id;
    return call('identity.ChangeMemberRole', { member_id, role: 'developer' }, operator(id));
  };

  type Act = (subject: Subject) => Promise<unknown>;

  /** The command, its action in the log, and the calls that it and those before it make. */
  const acts: readonly (readonly [string, string, readonly Act[]])[] = [
    ['org suspend', 'organization.suspended', [suspend]],
    ['org resume', 'organization.resumed', [suspend, ({ id }) => call('identity.ResumeOrganization', {}, operator(id))]],
    ['org delete', 'organization.deleted', [deleteIt]],
    ['org restore', 'organization.restored', [deleteIt, ({ id }) => call('identity.RestoreOrganization', {}, operator(id))]],
    ['org erase', 'organization.deleted', [({ id, slug }) => call('identity.EraseOrganization', { confirm: slug }, operator(id))]],
    ['org export', 'organization.exported', [({ id }) => call('identity.ExportOrganization', {}, operator(id))]],
    ['site take-down', 'site.taken_down', [takeDown]],
    ['site restore', 'site.restored', [takeDown, ({ project }) => call('sites.RestoreSite', { site: project }, operator())]],
    ['account lock', 'account.locked', [lock]],
    ['account unlock', 'account.unlocked', [lock, ({ email }) => call('identity.UnlockAccount', { email }, operator())]],
    ['account end-sessions', 'sessions.ended', [({ email }) => call('identity.EndAccountSessions', { email }, operator())]],
    ['account reset-link', 'account.link_created', [({ email }) => call('identity.CreatePasswordLink', { email }, operator())]],
    [
      'account delete',
      'account.deleted',
      [({ email }) => call('identity.DeleteAccount', { email, confirm: email, revoke_keys: false }, operator())],
    ],
    ['key create', 'key.created', [({ id }) => call('identity.CreateKey', { name: 'CI', permissions: ['read'] }, operator(id))]],
    ['key rotate', 'key.rotated', [({ id, key }) => call('identity.RotateKey', { key_id: key, grace_hours: 0 }, operator(id))]],
    ['key revoke', 'key.revoked', [({ id, key }) => call('identity.RevokeKey', { key_id: key }, operator(id))]],
    ['limits set', 'limit.changed', [({ id }) => call('identity.SetLimit', { name: 'projects', limit: 3 }, operator(id))]],
    ['member add', 'member.added', [({ id }) => call('identity.AddMember', { email: new Person().email, role: 'viewer' }, operator(id))]],
    ['member invite', 'invitation.sent', [invite]],
    ['member role', 'member.changed', [changeRole]],
    ['org rename', 'organization.changed', [({ id }) => call('identity.RenameOrganization', { name: 'Kiln & Daughters' }, operator(id))]],
    ['webhook replay', 'deliveries.replayed', [({ id }) => call('identity.RecordReplay', { webhook_id: 'w1', url: 'u' }, operator(id))]],
    ['dead-letters replay', 'dead_letter.replayed', [deadLetter(false)]],
    ['dead-letters discard', 'dead_letter.discarded', [deadLetter(true)]],
  ];

  test.each(acts)(
    '%s is in the audit log of the organization once, as %s, with the name of the operator',
    async (_command, action, steps) => {
      const subject = await newSubject();
      for (const step of steps) await step(subject);
      await eventually(async () => {
        const { entries } = await call('accounts.ListAudit', { limit: 100, offset: 0 }, operator(subject.id));
        const found = entries.filter(({ actor, ...entry }) => entry.action === action && actor?.id === 'grace');
        expect(found.map(({ actor }) => actor?.kind)).toEqual(['operator']);
      });
    },
  );
});
