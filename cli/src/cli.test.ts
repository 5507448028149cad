import { EventEmitter, once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer } from 'node:tls';
import { closeEvents, connectEvents, eventsCheck, listen } from '@webkiln/events/listening';
import { withNats } from '@webkiln/events/testing';
import { type ProcessName, processes, serviceCaller } from '@webkiln/messages';
import { call, generateSigningKey } from '@webkiln/rpc';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { until } from '@webkiln/store/testing';
import { internalSetting } from './status/processes.ts';
import { expectActor, introspectKeys, useIdentityProcess, webkiln } from './testing/command-line.ts';

const platform = useIdentityProcess();
const changed = new EventEmitter();

beforeAll(async () => {
  await connectEvents(process.env.NATS_URL ?? '', 'test', { subjectPrefix: platform.prefix });
  await until(() =>
    eventsCheck().then(
      () => true,
      () => false,
    ),
  );
  listen('internal.key.changed', ({ data }) => changed.emit(data.key_id));
});
afterAll(() => closeEvents());

const here = () => ({ DATA_DIR: platform.folder });
const run = (...words: string[]) => webkiln(words, here());

async function json(...words: string[]) {
  const { code, out, err } = await run(...words, '--json');
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out);
}

const newOrganization = async (): Promise<string> => (await json('org', 'create', 'Kiln & Co', '--allow-same-name')).organization.slug;

test('an organization is created and listed', async () => {
  const created = await run('org', 'create', 'Clay Works', '--slug', 'clay', '--rate-limit', '500');
  expect(created).toMatchObject({ code: 0, err: '' });
  const id = created.out.match(/^Created clay, id (.+)\.$/)?.[1] ?? 'no id';
  const { out } = await run('org', 'list');
  expect(out.split('\n')[0]).toMatch(/^ID +SLUG +NAME +RATE LIMIT +CREATED +SUSPENDED +ERASED$/);
  expect(out).toMatch(new RegExp(`^${id} +clay +Clay Works +500 +20`, 'm'));
});

test('an organization is created with an owner, who gets a link to choose a password', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const created = await run('org', 'create', 'Owned Works', '--owner', email);
  expect(created.out).toMatch(
    /^Created owned-works, id .+\.\nNo mail is sent\. Give .+ until 20.+Z:\n {2}http.+\/reset-password\?token=.+$/,
  );
  expect((await json('member', 'list', '--org', 'owned-works')).members).toMatchObject([{ email, role: 'owner' }]);
  expect((await run('account', 'reset-link', email)).out).toMatch(/^http.+\/reset-password\?token=[\w-]{32}$/);
});

test('an organization whose owner cannot be added is named, with what to do', async () => {
  const refused = await run('org', 'create', 'Ownerless Works', '--owner', 'nobody');
  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^Created ownerless-works, but nobody is not its owner: /),
  });
});

test('an organization whose name another one has is created only if that is asked for', async () => {
  const first = await json('org', 'create', 'Twin Kilns');
  const refused = await run('org', 'create', 'twin kilns ');
  expect(refused).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`"Twin Kilns" exists already, as ${first.organization.slug}.`),
  });
  expect((await json('org', 'create', 'Twin Kilns', '--allow-same-name')).organization.slug).toBe('twin-kilns-2');
});

test('an organization is suspended and resumed, and repeats change nothing', async () => {
  const org = await newOrganization();
  for (let times = 0; times < 2; times++) {
    expect((await run('org', 'suspend', '--org', org)).out).toMatch(new RegExp(`^${org} is suspended since 20`));
  }
  for (let times = 0; times < 2; times++) expect((await run('org', 'resume', '--org', org)).out).toBe(`${org} works.`);
});

test('an account is locked and unlocked, and one that does not exist is named', async () => {
  const org = await newOrganization();
  await run('member', 'add', 'grace@example.com', '--org', org, '--role', 'developer');
  expect((await run('account', 'lock', 'Grace@example.com')).out).toMatch(/^Grace@example\.com is locked since 20\S+; ended 0 sessions\.$/);
  expect((await run('account', 'unlock', 'grace@example.com')).out).toBe('grace@example.com can sign in; ended 0 sessions.');
  expect(await run('account', 'end-sessions', 'nobody@example.com')).toEqual({ code: 1, out: '', err: 'email: belongs to no account.' });
});

test('a person is shown with what keeps it out, invited by an owner, and given another role; the last owner stays one', async () => {
  const { slug: org } = (await json('org', 'create', 'Helped Works', '--owner', 'owner@helped.example')).organization;
  const invite = ['member', 'invite', 'new@helped.example', '--org', org, '--role', 'admin'];
  const [shown, nobody, invited] = await Promise.all([
    run('account', 'show', 'Owner@helped.example'),
    run('account', 'show', 'nobody@example.com'),
    run(...invite),
    run('member', 'add', 'second@helped.example', '--org', org, '--role', 'viewer'),
  ]);
  expect(shown.out).toMatch(
    /signs in by +nothing yet\n[\s\S]+address +not confirmed[\s\S]+locked +no\nsessions +none[\s\S]+^helped-works +owner +open$/m,
  );
  expect(nobody).toMatchObject({ code: 1, err: 'email: belongs to no account.' });
  expect(invited.out).toMatch(/^Invited as admin: new@helped\.example, until 20/);

  const [again, byViewer, demoted, renamed] = await Promise.all([
    run(...invite),
    run('member', 'invite', 'other@helped.example', '--org', org, '--role', 'admin', '--for', 'second@helped.example'),
    run('member', 'role', 'owner@helped.example', '--org', org, '--role', 'viewer'),
    run('org', 'rename', org, 'Helped & Co'),
  ]);
  expect(again.out).toMatch(/^Mailed the open invitation again: new@helped\.example/);
  expect(byViewer).toMatchObject({ code: 1, out: '' });
  expect(demoted).toMatchObject({ code: 1, err: expect.stringContaining('owner') });
  expect(renamed.out).toBe('helped-works is called Helped & Co now.');

  expect((await run('member', 'role', 'second@helped.example', '--org', org, '--role', 'developer')).out).toContain('is developer now');
  const { out } = await run('org', 'show', org);
  expect(out).toContain('Helped & Co, organization ');
  expect(out).toMatch(/^new@helped\.example +admin, invited until 20.+$/m);
  await until(async () => (await json('audit', 'list', '--org', org, '--action', 'organization.changed')).entries.length === 1);
});

test('status says how each part is and what to do, and fails if something is not well', async () => {
  const well = await run('status');
  expect(well).toMatchObject({ code: 0, err: '', out: expect.stringContaining('All is well.') });
  expect(well.out).toMatch(/^identity +127\.0\.0\.1:\d+ +ready +0\.1\.0$/m);

  const authority = await Authority.create();
  const server = createServer(await authority.issue('localhost')).listen(0);
  const [away, backups] = [(name: string) => [internalSetting(name as ProcessName), '127.0.0.1:1'], path.join(platform.folder, 'backups')];
  mkdirSync(backups);
  const env = {
    ...Object.fromEntries(Object.keys(processes).map(away)),
    IDENTITY_INTERNAL_ADDRESS: platform.internalAddress,
    ORIGIN: `https://localhost:${(server.address() as AddressInfo).port}`,
  };
  const { code, out, err } = await webkiln(['status', '--by-name', '--backups', backups, '--json'], env);
  server.close();
  expect({ code, err }).toEqual({ code: 1, err: '10 things are not well.' });
  const { problems, ...answer } = JSON.parse(out) as { problems: { what: string; advice: string }[] };
  expect(answer).toMatchObject({ is_well: false, backup: { taken_at: null }, migrations_due: [] });
  expect(problems.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'gateway does not answer at 127.0.0.1:1.',
      expect.stringMatching(/^The certificate of localhost is not accepted: /),
      `There is no backup in ${backups}.`,
    ]),
  );
  expect(problems.every(({ advice }) => advice !== '')).toBe(true);
});

test('an account is deleted when its email is confirmed; the keys that stay are listed, and the log has the name of the operator', async () => {
  const org = await newOrganization();
  const email = 'mary@example.com';
  await run('member', 'add', email, '--org', org, '--role', 'developer');
  const created = await json('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read', '--created-by', email);
  expect(await run('account', 'delete', email, '--confirm', 'other@example.com')).toEqual({
    code: 1,
    out: '',
    err: "confirm: must be the account's email, once more.",
  });
  expect((await run('account', 'delete', email)).code).toBe(2);
  const { code, out } = await webkiln(['account', 'delete', email, '--confirm', email], { ...here(), WEBKILN_OPERATOR: 'Grace\nHopper' });
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(/^Deleted mary@example\.com, account \S+\.$/),
      'The keys this person made or rotated still work:',
      expect.stringMatching(new RegExp(`^  ${created.key.id}  wk_.*…  CI  \\(organization \\S+\\)$`)),
    ],
  ]);
  await expectActor(platform, 'account.deleted', 'Grace Hopper');
  expect((await run('audit', 'verify', '--org', org)).code).toBe(0);
});

test('a limit is set, shown, and returned to the platform’s', async () => {
  const org = await newOrganization();
  const projects = async () =>
    (await json('limits', 'show', '--org', org)).limits.find(({ name }: { name: string }) => name === 'projects');
  expect(await projects()).toEqual({ name: 'projects', limit: 10_000, default: 10_000, overridden: false, used: null });
  expect((await run('limits', 'set', 'projects', '3', '--org', org)).out).toMatch(/^projects +3 +10000 +projects$/m);
  expect((await run('limits', 'set', 'stored_bytes', '1500MB', '--org', org)).out).toMatch(
    /^stored_bytes +1.46 GB +5 GB +bytes of files$/m,
  );
  expect(await projects()).toMatchObject({ limit: 3, overridden: true });
  expect(await run('limits', 'set', 'projects', 'default', '--org', org)).toMatchObject({ code: 0 });
  expect(await projects()).toMatchObject({ limit: 10_000, overridden: false });
  expect((await run('limits', 'set', 'sites', '3', '--org', org)).err).toContain('projects, clients, keys');
  expect(await run('limits', 'set', 'projects', '5GB', '--org', org)).toMatchObject({
    code: 1,
    err: expect.stringContaining('no number of bytes'),
  });
});

test('the limits show what is used, and name the services that do not answer', async () => {
  const org = await newOrganization();
  await run('member', 'add', 'grace@example.com', '--org', org, '--role', 'developer');
  await run('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read');
  const { code, out, err } = await run('limits', 'show', '--org', org);
  expect(code).toBe(0);
  expect(out).toMatch(/^members +1 +50 +50 +members$/m);
  expect(out).toMatch(/^keys +1 +50 +50 +API keys$/m);
  expect(out).toMatch(/^projects +- +10000 +10000 +projects$/m);
  expect(err).toContain('What projects-templates counts is not known.');
  expect(err).not.toContain('What identity counts');
});

test('members are added, listed and removed by email, and removal lists the keys that the member created', async () => {
  const org = await newOrganization();
  expect(await run('member', 'add', 'Ada@example.com', '--org', org, '--role', 'developer')).toMatchObject({ code: 0 });
  expect((await json('member', 'list', '--org', org)).members).toMatchObject([{ email: 'Ada@example.com', role: 'developer' }]);
  const { key } = await json('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read', '--created-by', 'ada@example.com');
  const { code, out } = await run('member', 'remove', 'ada@example.com', '--org', org);
  expect(code).toBe(0);
  expect(out).toContain('still work');
  expect(out).toContain(key.id);
  // Only identity runs here.
  expect(out).toContain('The webhooks could not be read');
  expect((await json('member', 'list', '--org', org)).members).toEqual([]);
});

test('a new key works, is printed alone on standard output with a note on standard error, and is never printed again', async () => {
  const org = await newOrganization();
  const { code, out, err } = await run('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read,write');
  expect(code).toBe(0);
  expect(out).toMatch(/^wk_[0-9A-Za-z]{49}$/);
  expect(err).toContain('never again');
  expect(err).not.toContain(out);
  expect(await introspectKeys(out)).toMatchObject([{ valid: true, permissions: ['read', 'write'] }]);
  const list = await run('key', 'list', '--org', org);
  expect(list.out).toContain(`${out.slice(0, 8)}…`);
  expect(list.out + list.err).not.toContain(out.slice(8));
});

test('a key with an expiry time works until then', async () => {
  const org = await newOrganization();
  await json('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read', '--expires', '2999-01-31');
  expect((await run('key', 'list', '--org', org)).out).toContain('live until 2999-01-31T00:00:00.000Z');
});

test('during the grace period a rotated key works as well as the new one', async () => {
  const org = await newOrganization();
  const old = await json('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read');
  const { code, out } = await run('key', 'rotate', old.key.id, '--org', org, '--grace', '2');
  expect(code).toBe(0);
  expect(await introspectKeys(old.secret, out)).toMatchObject([{ valid: true, expires_at: expect.any(String) }, { valid: true }]);
});

test('a revocation at the command line is broadcast to every other process', async () => {
  const org = await newOrganization();
  const { key, secret } = await json('key', 'create', '--org', org, '--name', 'CI', '--permissions', 'read');
  const heard = once(changed, key.id);
  expect(await run('key', 'revoke', key.id, '--org', org)).toMatchObject({ code: 0, out: `Revoked ${key.id}.` });
  await heard;
  expect(await introspectKeys(secret)).toMatchObject([{ valid: false }]);
  expect((await run('key', 'list', '--org', org)).out).toContain('revoked 20');
});

test('the environment can select another platform', async () => {
  const env = { IDENTITY_ADDRESS: platform.address, OPERATOR_SIGNING_KEY: platform.signingKey };
  expect(await webkiln(['org', 'list'], env)).toMatchObject({ code: 0, err: '' });
});

test.each([
  ['an untrusted key', generateSigningKey().privateKey, 'Does it trust this OPERATOR_SIGNING_KEY?'],
  ['a malformed key', 'nonsense', 'OPERATOR_SIGNING_KEY is no Ed25519 private key'],
])('an operator with %s is refused with the reason', async (_case, OPERATOR_SIGNING_KEY, sentence) => {
  const { code, out, err } = await webkiln(['org', 'list'], { IDENTITY_ADDRESS: platform.address, OPERATOR_SIGNING_KEY });
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(sentence) });
});

test.each([
  ['key list --org nobody', 'No organization with this id or slug.'],
  ['listen --org nobody --forward http://localhost:3000/hook', 'No organization with this id or slug.'],
  ['org create Kiln --slug -', 'slug: must be lower-case letters, digits and single hyphens between them.'],
])('a command that fails exits with 1 and prints only the reason: %s', async (line, sentence) => {
  expect(await run(...line.split(' '))).toEqual({ code: 1, out: '', err: sentence });
});

test.each(['org list', 'listen --org kiln --forward http://localhost:3000/hook'])(
  'without a running platform a command fails with advice: %s',
  async (line) => {
    const { code, err } = await webkiln(line.split(' '), { DATA_DIR: path.join(platform.folder, 'nothing') });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^The platform is not running: start it with `npm start`/) });
  },
);

test('if projects-templates does not answer, a site is not taken down and the error has the address', async () => {
  const env = { PROJECTS_TEMPLATES_ADDRESS: '127.0.0.1:1', OPERATOR_SIGNING_KEY: platform.signingKey };
  const { code, err } = await webkiln(['site', 'take-down', 'harbour', '--reason', 'phishing'], env);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('at 127.0.0.1:1') });
});

test('if identity does not answer, the error has its address', async () => {
  const { code, err } = await webkiln(['org', 'list'], { IDENTITY_ADDRESS: '127.0.0.1:1', OPERATOR_SIGNING_KEY: platform.signingKey });
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Identity does not answer at 127.0.0.1:1') });
});

test.each([
  ['does not answer', { NATS_URL: 'nats://127.0.0.1:1' }, 'NATS does not answer at 127.0.0.1:1'],
  ['has an unknown address', {}, 'set NATS_URL'],
])('if NATS %s, listen fails with the reason', async (_case, env, sentence) => {
  const org = await newOrganization();
  const words = ['listen', '--org', org, '--forward', 'http://localhost:3000/hook'];
  const { code, out, err } = await webkiln(words, { ...here(), ...env });
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(sentence) });
});

test('a message that no consumer can read is listed, its replay fails with the reason, and it can be discarded', async () => {
  await withNats((connection) => connection.jetstream().publish(`${platform.prefix}internal.audited`, 'nonsense'));
  const ofAudit = ['--service', 'identity', '--consumer', 'identity-audit'];
  const listed = async () => (await json('dead-letters', 'list', ...ofAudit)).dead_letters;
  await until(async () => (await listed()).length === 1);
  const [{ id }] = await listed();
  expect((await run('dead-letters', 'list', ...ofAudit)).out).toMatch(new RegExp(`^${id} +identity-audit .+the message is no JSON`, 'm'));
  const replayed = await run('dead-letters', 'replay', '--all', ...ofAudit);
  expect(replayed).toMatchObject({ code: 1, out: expect.stringContaining(`${id} failed: Error: the message is no JSON`) });
  const others = serviceCaller('gateway', '', 120_000);
  await expect(call('maintenance.DiscardDeadLetter', { id }, others)).rejects.toMatchObject({ code: 'permission_missing' });
  expect(await run('dead-letters', 'discard', id, '--service', 'identity')).toMatchObject({ code: 0, out: `Discarded ${id}.` });
  expect(await listed()).toEqual([]);
  expect(await run('dead-letters', 'discard', id, '--service', 'identity')).toMatchObject({
    code: 1,
    err: `No dead letter has the id ${id}.`,
  });
});

test.each([
  'nonsense',
  'org',
  'org create',
  'org suspend',
  'limits set projects many --org kiln',
  'site take-down',
  'account lock',
  'site take-down harbour',
  'member add ada@example.com --org kiln --role root',
  'key create --org kiln --name CI',
  'key create --org kiln --name CI --permissions read --expires tomorrow',
  'key rotate some-key --org kiln --grace 1.5',
  'listen --forward http://localhost:3000/hook',
  'listen --org kiln --forward localhost:3000/hook',
  'listen --org kiln --forward http://me:secret@localhost:3000/hook',
  'listen --org kiln --forward http://localhost:3000/hook --events client.created,nothing',
  'listen --org kiln --forward http://localhost:3000/hook --secret whsec_c2hvcnQ=',
])('a command with wrong arguments exits with 2 and shows its usage: %s', async (line) => {
  const { code, out, err } = await run(...line.split(' '));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/--help|Usage:/);
});

test.each([
  ['--help', ['org', 'member', 'key', 'IDENTITY_ADDRESS', 'Exits 0']],
  ['key --help', ['create', 'list', 'rotate', 'revoke']],
  ['member invite --help', ['--for', 'Example: webkiln member invite ada@example.com']],
  ['key create --help', ['--org <id|slug>', '--name', '--permissions', '--expires', '--json']],
])('webkiln %s lists commands and options', async (line, shown) => {
  const { code, out } = await run(...line.split(' '));
  expect(code).toBe(0);
  for (const text of shown) expect(out).toContain(text);
});
