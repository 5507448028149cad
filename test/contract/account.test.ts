import { randomUUID } from 'node:crypto';
import { operations } from '@webkiln/contract';
import { agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api } from '../harness/api.ts';
import { mailsTo } from '../harness/mails.ts';
import { owner, Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { findMember, invitationToken, newMember, personWithoutOrganization, team } from '../harness/team.ts';
import { totp } from '../harness/totp.ts';
import { activeClient, makeProject } from './fixtures.ts';
import { documented } from './story.ts';

const baseUrl = `${sharedPlatform().origins[0]}/api/v1`;
const unknown = randomUUID();

describe('sessions', () => {
  test('getSession: returns the account, its organization and role, and every organization that the account can switch to', async () => {
    const ada = await owner();
    const { body } = (await ada.api.get('/account/session')).expect(200);
    expect(body).toMatchObject({
      account: { email: ada.email, name: 'Ada', email_verified: true, two_factor: false },
      organization: { name: `Studio ${ada.email}`, logo_url: null },
      role: 'owner',
    });
    expect(body.organizations).toEqual([{ id: body.organization.id, name: body.organization.name, role: 'owner' }]);
  });

  test('getSession: returns no organization for an account without one, and organization routes answer 403', async () => {
    const bob = await personWithoutOrganization();
    expect((await bob.api.get('/account/session')).expect(200).body).toMatchObject({ organization: null, role: null, organizations: [] });
    (await bob.api.get('/projects')).expect(403, 'role_missing');
    (await bob.api.get('/account/organization')).expect(403, 'role_missing');
  });

  test('updateAccount, updateOrganization: store a language, which null clears, and answer 400 to one that there is not', async () => {
    const ada = await owner();
    for (const [path, record] of [
      ['/account/profile', 'account'],
      ['/account/organization', 'organization'],
    ] as const) {
      for (const language of ['de', null]) {
        expect((await ada.api.patch(path, { language })).expect(200).body[record].language).toBe(language);
        expect((await ada.api.get('/account/session')).expect(200).body[record].language).toBe(language);
      }
      (await ada.api.patch(path, { language: 'xx' })).expect(400, 'validation_failed');
    }
  });

  test('openOrganization: switches the session to the new organization, and refuses a second one', async () => {
    const bob = await personWithoutOrganization();
    (await bob.api.post('/account/organizations', { name: 'Kiln' })).expect(201);
    expect(
      await eventually(async () => (await bob.api.get('/account/session')).expect(200).body.role ?? Promise.reject(new Error('not yet'))),
    ).toBe('owner');
    (await bob.api.post('/account/organizations', { name: 'Another' })).expect(409, 'organization_exists');
    (await bob.api.post('/account/organizations', { name: '' })).expect(400, 'validation_failed');
  });

  test('switchOrganization: switches to an organization of the account, and answers 404 for any other', async () => {
    const [ada, bob] = await Promise.all([owner(), owner()]);
    const own = (await bob.api.get('/account/session')).expect(200).body.organization.id;
    const theirs = (await ada.api.get('/account/session')).expect(200).body.organization.id;
    (await bob.api.post('/account/session/organization', { organization_id: theirs })).expect(404, 'organization_not_found');
    (await ada.api.post('/account/invitations', { email: bob.email, role: 'viewer' })).expect(201);
    (await bob.api.post('/account/invitations/accept', { token: await invitationToken(bob.email) })).expect(200);
    for (const [organization_id, role] of [
      [own, 'owner'],
      [theirs, 'viewer'],
    ]) {
      (await bob.api.post('/account/session/organization', { organization_id })).expect(200);
      await eventually(async () =>
        expect((await bob.api.get('/account/session')).body).toMatchObject({ organization: { id: organization_id }, role }),
      );
    }
  });

  test('listSessions, endSession: list the session of another browser, and end it by its id', async () => {
    const ada = await owner();
    const phone = new Person({ email: ada.email });
    (await phone.signIn(ada.password)).expect(200);
    const { sessions, total } = (await ada.api.get('/account/sessions')).expect(200).body;
    expect([total, sessions.map(({ current }: { current: boolean }) => current)]).toEqual([2, [false, true]]);
    (await ada.api.delete(`/account/sessions/${sessions[0].id}`)).expect(200);
    await eventually(async () => (await phone.api.get('/account/session')).expect(401, 'invalid_session'));
    (await ada.api.delete(`/account/sessions/${sessions[0].id}`)).expect(404, 'session_not_found');
    (await (await owner()).api.delete(`/account/sessions/${sessions[1].id}`)).expect(404, 'session_not_found');
  });
});

test('an API key is refused what people alone may, and what it has no permission for, which the sentence names', async () => {
  const { api } = await agency();
  (await api.get('/account/sessions')).expect(403, 'session_required');
  const refused = (await api.get('/account/keys')).expect(403, 'permission_missing');
  expect([refused.body.error, refused.headers.get('x-accepted-permissions')]).toEqual([expect.stringContaining('`keys`'), 'keys']);
  const nobody = { account: null, organization: null, role: null, organizations: [], second_factor_required: false };
  expect((await new Api(baseUrl).get('/account/session')).expect(200).body).toEqual(nobody);
});

describe('API keys', () => {
  test('createKey, listKeys, rotateKey, revokeKey: create a key, show its secret once, list it, rotate it and revoke it', async () => {
    const { api } = await owner();
    const made = (await api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
    const program = new Api(baseUrl, made.secret);
    (await program.get('/clients')).expect(200);
    const listed = (await api.get('/account/keys')).expect(200).body;
    expect(listed).toMatchObject({ total: 1, keys: [{ id: made.key.id, name: 'CI', prefix: made.secret.slice(0, 8), revoked_at: null }] });
    expect(JSON.stringify(listed)).not.toContain(made.secret);
    const next = (await api.post(`/account/keys/${made.key.id}/rotate`, { grace_hours: 1 })).expect(201).body;
    (await new Api(baseUrl, next.secret).get('/clients')).expect(200);
    (await program.get('/clients')).expect(200);
    (await api.delete(`/account/keys/${made.key.id}`)).expect(200);
    await eventually(async () => (await program.get('/clients')).expect(401, 'invalid_key'));
  });

  test('updateKey: renames a key and bounds it to networks within a second; other networks get 403 with a sentence', async () => {
    const boss = await owner();
    const { key, secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    const from = (address: string) => new Api(baseUrl, secret, { 'x-forwarded-for': address }).get('/plans');
    const change = (fields: object) => boss.api.patch(`/account/keys/${key.id}`, fields);
    const allowed_networks = ['203.0.113.0/24', '2001:db8::/32'];
    const changed = (await change({ name: 'Deploys', allowed_networks })).expect(200).body.key;
    expect(changed).toEqual({ ...key, name: 'Deploys', allowed_networks, last_used_at: changed.last_used_at });
    await eventually(async () => {
      const { error } = (await from('198.51.100.7')).expect(403, 'address_not_allowed').body;
      expect(error).toContain('198.51.100.7');
    });
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::5']) (await from(address)).expect(200);
    (await from('2001:db9::1')).expect(403, 'address_not_allowed');
    const next = (await boss.api.post(`/account/keys/${key.id}/rotate`, { grace_hours: 0 })).expect(201).body;
    (await new Api(baseUrl, next.secret, { 'x-forwarded-for': '198.51.100.7' }).get('/plans')).expect(403, 'address_not_allowed');
    await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
      expect(entries).toContainEqual(
        expect.objectContaining({ action: 'key.changed', target: { kind: 'key', id: key.id, name: 'CI: name, allowed_networks' } }),
      );
    });
  });

  test.each([
    [{ allowed_networks: ['203.0.113.0/33'] }, 'allowed_networks.0: must be an IP address or a network'],
    [{ allowed_networks: ['example.com'] }, 'allowed_networks.0: must be an IP address or a network'],
    [{ allowed_networks: Array(21).fill('203.0.113.7') }, 'allowed_networks: must have at most 20 networks'],
    [{ rate_limit: 0 }, 'rate_limit: must be at least 1'],
    [{ permissions: [] }, 'permissions: must name at least one permission'],
    [{ expires_at: null }, 'expires_at: is not a field'],
  ])('updateKey: answers 400 to %j and names the wrong field', async (fields, sentence) => {
    const { api } = await owner();
    const { key } = (await api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    expect((await api.patch(`/account/keys/${key.id}`, fields)).expect(400, 'validation_failed').body.error).toContain(sentence);
  });

  test('revokeKey, rotateKey, listKeys: answer as if keys of another organization did not exist', async () => {
    const [ada, eve] = await Promise.all([owner(), owner()]);
    const { key } = (await ada.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    for (const id of [key.id, unknown]) {
      (await eve.api.delete(`/account/keys/${id}`)).expect(404, 'key_not_found');
      (await eve.api.patch(`/account/keys/${id}`, { name: 'Mine' })).expect(404, 'key_not_found');
      (await eve.api.post(`/account/keys/${id}/rotate`, {})).expect(404, 'key_not_found');
    }
    expect((await eve.api.get('/account/keys')).body.total).toBe(0);
  });

  test('createKey: creates one key for two requests with one Idempotency-Key, and repeats the response', async () => {
    const { api } = await owner();
    const once = { 'idempotency-key': randomUUID() };
    const wanted = { name: 'CI', permissions: ['read'] };
    const [first, second] = [await api.post('/account/keys', wanted, once), await api.post('/account/keys', wanted, once)];
    expect(second.expect(201).body).toEqual(first.expect(201).body);
    expect((await api.get('/account/keys')).body.total).toBe(1);
  });

  test.each([
    { name: '', permissions: ['read'] },
    { name: 'A', permissions: [] },
    { name: 'A', permissions: ['admin'] },
    { name: 'A', permissions: ['read'], created_by: unknown },
    { name: 'A', permissions: ['read'], expires_at: '2020-01-01T00:00:00Z' },
  ])('createKey: answers 400 to the invalid body %j', async (body) => {
    (await (await owner()).api.post('/account/keys', body)).expect(400, 'validation_failed');
  });

  /** A key that a member makes, as its program uses it. */
  async function made({ api }: Person, fields: object) {
    const { key, secret } = (await api.post('/account/keys', { name: 'CI', ...fields })).expect(201).body;
    return { key, secret: secret as string, program: new Api(baseUrl, secret) };
  }

  test('getAccount: tells any key who and what it is, also one that is restricted, and a member its role', async () => {
    const boss = await owner();
    const { organization } = (await boss.api.get('/account/session')).expect(200).body;
    const shown = { id: organization.id, name: organization.name, slug: organization.slug };
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { key, program } = await made(boss, { permissions: ['audit'], expires_at, allowed_networks: ['0.0.0.0/0', '::/0'] });
    const account = (await program.get('/account')).expect(200).body;
    expect(account).toMatchObject({ organization: shown, role: 'owner', platform_url: sharedPlatform().origins[0] });
    expect(account.key).toEqual({ ...key, last_used_at: account.key.last_used_at });
    expect(account.limits).toContainEqual(expect.objectContaining({ name: 'keys', used: expect.any(Number) }));
    const client = await activeClient(boss.api);
    const restricted = await made(boss, { permissions: ['write'], client_id: client.id });
    const own = (await restricted.program.get('/account')).expect(200).body;
    expect([own.key.client_id, own.limits]).toEqual([client.id, []]);
    expect((await boss.api.get('/account')).expect(200).body).toMatchObject({ organization: shown, role: 'owner', key: null });
  });

  test('createKey, updateKey, rotateKey, revokeKey: a key manages no key that may more than itself', async () => {
    const boss = await owner();
    const bounds = {
      permissions: ['keys', 'read'],
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      allowed_networks: ['0.0.0.0/0', '::/0'],
      rate_limit: 50,
    };
    const { program } = await made(boss, bounds);
    for (const [field, value] of [
      ['permissions', ['read', 'write']],
      ['expires_at', null],
      ['allowed_networks', []],
      ['allowed_networks', ['203.0.113.7']],
      ['rate_limit', null],
      ['rate_limit', 51],
    ] as const) {
      const refused = (await program.post('/account/keys', { name: 'More', ...bounds, [field]: value })).expect(403, 'permission_missing');
      expect([field, refused.body.details]).toEqual([field, [expect.objectContaining({ path: field })]]);
    }
    const larger = await made(boss, { permissions: ['read', 'write'] });
    const path = `/account/keys/${larger.key.id}`;
    (await program.patch(path, { permissions: ['read'] })).expect(403, 'permission_missing');
    (await program.post(`${path}/rotate`, {})).expect(403, 'permission_missing');
    (await program.delete(path)).expect(403, 'permission_missing');
    const same = (await program.post('/account/keys', { name: 'Same', ...bounds })).expect(201).body;
    (await program.patch(`/account/keys/${same.key.id}`, { permissions: ['write'] })).expect(403, 'permission_missing');
    (await program.delete(`/account/keys/${same.key.id}`)).expect(200);
  });

  test('rotateKey: a key rotates itself within hours of grace, in which a lost answer can be asked for again', async () => {
    const { key, program } = await made(await owner(), { permissions: ['keys', 'read'] });
    const rotate = (grace_hours: number) =>
      program.post(`/account/keys/${key.id}/rotate`, { grace_hours }, { 'idempotency-key': `rotate ${grace_hours}` });
    expect((await rotate(0)).expect(400, 'validation_failed').body.error).toContain('grace_hours: must be at least 1');
    const first = (await rotate(1)).expect(201).body;
    expect((await rotate(1)).expect(201).body).toEqual(first);
    const next = new Api(baseUrl, first.secret);
    expect((await next.get('/account')).expect(200).body.key).toMatchObject({ id: first.key.id, permissions: key.permissions });
    (await next.delete(`/account/keys/${key.id}`)).expect(200);
  });

  test('inviteMember, createKey: a key manages people and keys only while the member who answers for it has its role', async () => {
    const { owner: boss, admin } = await team();
    const { program } = await made(admin, { permissions: ['keys', 'members', 'embedding'] });
    (await program.post('/account/invitations', { email: `${randomUUID()}@example.com`, role: 'developer' })).expect(201);
    (await program.post('/account/invitations', { email: `${randomUUID()}@example.com`, role: 'owner' })).expect(403, 'role_missing');
    const { id } = await findMember(admin, boss);
    (await boss.api.patch(`/account/members/${id}`, { role: 'developer' })).expect(200);
    for (const [path, body] of [
      ['/account/keys', { name: 'Back', permissions: ['keys'] }],
      ['/account/invitations', { email: admin.email, role: 'admin' }],
      ['/account/embed-clients', { name: 'App', allowed_origins: ['https://app.example.com'] }],
    ] as const)
      (await program.post(path, body)).expect(403, 'role_missing');
  });

  test('createKey: a key with client_id reaches the websites of this client alone, by every operation, list and tool', async () => {
    const boss = await owner();
    const [client, other] = await Promise.all([activeClient(boss.api), activeClient(boss.api)]);
    const [own, foreign] = await Promise.all([makeProject(boss.api, client), makeProject(boss.api, other)]);
    (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read'], client_id: unknown })).expect(404, 'client_not_found');
    (await boss.api.post('/account/keys', { name: 'CI', permissions: ['keys'], client_id: client.id })).expect(400, 'validation_failed');
    const { program, secret, key } = await made(boss, { permissions: ['read', 'write'], client_id: client.id });
    expect(key.client_id).toBe(client.id);
    (await program.put(`/projects/${own.id}/files`, { files: { 'index.html': '<h1>Own</h1>' } })).expect(200);
    for (const query of ['', `?client_id=${other.id}`, '?q=Bakery'])
      for (const { id } of (await program.get(`/projects${query}`)).expect(200).body.projects) expect(id).toBe(own.id);
    expect((await program.get('/projects')).expect(200).body.total).toBe(1);
    const { deployId } = (await boss.api.post(`/projects/${foreign.id}/publish`, { builtFiles: { 'index.html': 'x' } })).expect(200).body;
    /** What a caller can change of it; its picture comes later. */
    const stateOfForeign = async () => {
      const read = async (path: string) => (await boss.api.get(`/projects/${foreign.id}${path}`)).expect(200).body;
      const { name, status, tags, starred } = (await read('')).project;
      return [
        name,
        status,
        tags,
        starred,
        await read('/deploys'),
        await read('/files'),
        await read('/revisions'),
        await read('/forms/settings'),
      ];
    };
    const before = await stateOfForeign();
    const answers: string[] = [];
    for (const [name, { path, method, input }] of Object.entries(operations)) {
      if (!path.includes('{projectId}') && !(method === 'GET' && 'project_id' in (input?.shape ?? {}))) continue;
      const query = path.includes('{projectId}') ? '' : `?project_id=${foreign.id}`;
      const url =
        path
          .replace('{projectId}', foreign.id)
          .replace('{path}', 'index.html')
          .replaceAll(/\{\w+\}/g, deployId) + query;
      const example = documented.get(name)?.requestBody?.content['application/json']?.example;
      const body = example === undefined ? {} : { body: JSON.stringify(example), headers: { 'content-type': 'application/json' } };
      const answer = await program.raw(url, { method, ...body });
      const { code } = (await answer.json()) as { code: string };
      if (!/^(?!route).*_not_found$|^(key_restricted|person_required|session_required)$/.test(code)) answers.push(`${name}: ${code}`);
    }
    expect(answers).toEqual([]);
    expect(await stateOfForeign()).toEqual(before);
    const agent = new Agent(secret);
    expect((await agent.use('list_projects')).projects.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    expect((await agent.call('create_client', { email: `${randomUUID()}@example.com` })).content[0]?.text).toMatch(/^key_restricted: /);
    expect((await agent.call('get_project', { project_id: foreign.id })).content[0]?.text).toMatch(/^project_not_found: /);
  });

  test('createKey: a key with project_id reaches this project alone, by every operation and tool as without that limit, and nothing once it is deleted', async () => {
    const boss = await owner();
    const [own, twin, foreign] = await Promise.all([makeProject(boss.api), makeProject(boss.api), makeProject(boss.api)]);
    const make = (fields: object) => boss.api.post('/account/keys', { name: 'CI', permissions: ['read'], ...fields });
    (await make({ project_id: unknown })).expect(404, 'project_not_found');
    (await make({ project_id: own.id, permissions: ['keys'] })).expect(400, 'validation_failed');
    (await make({ project_id: own.id, client_id: own.org_client_id })).expect(400, 'validation_failed');
    const first = await made(boss, { permissions: ['read', 'write'], project_id: own.id.toUpperCase() });
    const rotated = (await boss.api.post(`/account/keys/${first.key.id}/rotate`, {})).expect(201).body;
    expect([first.key.project_id, rotated.key.project_id, rotated.key.permissions]).toEqual([own.id, own.id, ['read', 'write']]);
    const [limited, whole] = [new Api(baseUrl, rotated.secret), (await made(boss, { permissions: ['read', 'write'] })).program];
    // One may ask 100 times a minute, and there are more operations.
    const more = await Promise.all([1, 2, 3].map(() => made(boss, { permissions: ['read', 'write'], project_id: own.id })));
    const inTurn = [limited, ...more.map(({ program }) => program)];
    let asked = 0;
    const next = () => inTurn[asked++ % inTurn.length] as Api;
    expect((await limited.get('/account')).expect(200).body).toMatchObject({ key: { project_id: own.id }, limits: [] });
    for (const query of ['', '?q=', `?client_id=${own.org_client_id}`])
      expect((await limited.get(`/projects${query}`)).expect(200).body).toMatchObject({ total: 1, projects: [{ id: own.id }] });

    const deployId = randomUUID();
    const ask = async (api: Api, name: string, id: string) => {
      const { path, method } = operations[name] as (typeof operations)[string];
      const filled = path
        .replace('{projectId}', id)
        .replace('{path}', 'index.html')
        .replaceAll(/\{\w+\}/g, deployId);
      const example = documented.get(name)?.requestBody?.content['application/json']?.example;
      const body = example === undefined ? {} : { body: JSON.stringify(example), headers: { 'content-type': 'application/json' } };
      const answer = await api.raw(isQueried(name) ? `${filled}?project_id=${id}` : filled, { method, ...body });
      const text = await answer.text();
      const { code } = (/^application\/json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : {}) as { code?: string };
      return `${answer.status} ${code}`;
    };
    const isQueried = (name: string) => operations[name]?.method === 'GET' && 'project_id' in (operations[name]?.input?.shape ?? {});
    const isOfProject = (name: string) => operations[name]?.path.includes('{projectId}') || isQueried(name);
    // The deletion last, for each operation finds the project.
    const names = Object.keys(operations).toSorted((one, other) => Number(one === 'deleteProject') - Number(other === 'deleteProject'));
    const state = async () => (await whole.get(`/projects/${foreign.id}`)).expect(200).body;
    const before = await state();
    for (const name of names.filter(isOfProject)) {
      const [another, none] = [await ask(next(), name, foreign.id), await ask(next(), name, unknown)];
      expect([name, another]).toEqual([name, none]);
      expect([name, another]).toEqual([
        name,
        expect.stringMatching(/^404 (?!route)\w+_not_found$|^403 (person|session)_required$|^4(00|15) /),
      ]);
      expect([name, await ask(next(), name, own.id)]).toEqual([name, await ask(whole, name, twin.id)]);
    }
    expect(await state()).toEqual(before);
    for (const name of names.filter((each) => !isOfProject(each) && each !== 'listProjects')) {
      const refused =
        operations[name]?.credential === 'anyKey' ? '200 undefined' : /^403 (project_restricted|person_required|session_required)$/;
      expect([name, await ask(next(), name, unknown)]).toEqual([name, expect.stringMatching(refused)]);
    }
    expect((await limited.get('/plans')).expect(403, 'project_restricted').body.error).toContain(own.id);

    // It was deleted above.
    (await limited.get(`/projects/${own.id}`)).expect(404, 'project_not_found');
    expect((await limited.get('/projects')).expect(200).body).toMatchObject({ projects: [], total: 0 });
    expect((await limited.get('/account')).expect(200).body.key).toMatchObject({ id: rotated.key.id, revoked_at: null });
  });

  test('createKey: a key never has more permissions than the role of its creator', async () => {
    const { developer } = await team();
    const { secret } = (await developer.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
    const program = new Api(baseUrl, secret);
    (await program.get('/plans')).expect(200);
    (await program.post('/plans', { name: 'Care', price: 1 })).expect(403, 'role_missing');
    (await program.post('/clients', { email: 'a@example.com' })).expect(201);
  });
});

test('changeMember, removeMember, inviteMember: an admin cannot appoint, change or remove an owner', async () => {
  const people = await team();
  const boss = await findMember(people.owner, people.admin);
  const developer = await findMember(people.developer, people.admin);
  (await people.admin.api.patch(`/account/members/${boss.id}`, { role: 'viewer' })).expect(403, 'role_missing');
  (await people.admin.api.patch(`/account/members/${developer.id}`, { role: 'owner' })).expect(403, 'role_missing');
  (await people.admin.api.delete(`/account/members/${boss.id}`)).expect(403, 'role_missing');
  (await people.admin.api.post('/account/invitations', { email: 'o@example.com', role: 'owner' })).expect(403, 'role_missing');
});

describe('members', () => {
  test('changeMember: applies a new role to the sessions that the member already has', async () => {
    const { owner: boss, viewer } = await team();
    (await viewer.api.post('/clients', {})).expect(403, 'role_missing');
    const { id } = await findMember(viewer, boss);
    expect((await boss.api.patch(`/account/members/${id}`, { role: 'developer' })).expect(200).body.member).toMatchObject({
      role: 'developer',
    });
    await eventually(async () => (await viewer.api.post('/clients', {})).expect(400, 'validation_failed'));
  });

  test('removeMember: ends the sessions of the member, returns the keys they created, and revokes those keys on request', async () => {
    const boss = await owner();
    const [dev, other] = [await newMember(boss, 'developer'), await newMember(boss, 'developer')];
    for (const [person, revoke, status] of [
      [dev, true, 401],
      [other, false, 200],
    ] as const) {
      const { key, secret } = (await person.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
      const { id } = await findMember(person, boss);
      const removed = (await boss.api.delete(`/account/members/${id}?revoke_keys=${revoke}`)).expect(200).body;
      expect(removed).toMatchObject({ deleted: true, id, keys: [{ id: key.id }] });
      await eventually(async () => (await person.api.get('/projects')).expect(401, 'invalid_session'));
      await eventually(async () => (await new Api(baseUrl, secret).get('/clients')).expect(status));
      (await boss.api.delete(`/account/members/${id}`)).expect(404, 'member_not_found');
    }
  });

  test('changeMember, removeMember, listMembers: keep one owner, even when the last two owners leave at the same moment', async () => {
    const boss = await owner();
    const second = await newMember(boss, 'owner');
    const [first, other] = [await findMember(boss, boss), await findMember(second, boss)];
    const answers = await Promise.all([
      boss.api.patch(`/account/members/${first.id}`, { role: 'viewer' }),
      second.api.patch(`/account/members/${other.id}`, { role: 'viewer' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { members } = (await boss.api.get('/account/members')).expect(200).body;
    expect(members.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1);
    const alone = await owner();
    (await alone.api.delete(`/account/members/${(await findMember(alone, alone)).id}`)).expect(409, 'last_owner');
  });
});

describe('invitations', () => {
  test('inviteMember, listInvitations, acceptInvitation: only the account with the invited address can accept, once', async () => {
    const [boss, ada, eve] = await Promise.all([owner(), personWithoutOrganization(), personWithoutOrganization()]);
    const { invitation } = (await boss.api.post('/account/invitations', { email: ada.email.toUpperCase(), role: 'viewer' })).expect(
      201,
    ).body;
    expect((await boss.api.get('/account/invitations')).expect(200).body).toMatchObject({ total: 1, invitations: [{ id: invitation.id }] });
    const token = await invitationToken(ada.email.toUpperCase());
    (await eve.api.post('/account/invitations/accept', { token })).expect(403, 'other_address');
    (await new Api(baseUrl).post('/account/invitations/accept', { token })).expect(401);
    (await ada.api.post('/account/invitations/accept', { token })).expect(200);
    (await ada.api.post('/account/invitations/accept', { token })).expect(404, 'invitation_not_found');
    (await boss.api.post('/account/invitations', { email: ada.email, role: 'admin' })).expect(409, 'member_exists');
  });

  test('the link of an invitation names who invites whom, and joins and signs in with a password alone, once', async () => {
    const boss = await owner();
    const ida = new Person();
    (await boss.api.post('/account/invitations', { email: ida.email, role: 'viewer' })).expect(201);
    const token = await invitationToken(ida.email);
    const shown = { email: ida.email, organization: `Studio ${boss.email}` };
    expect((await ida.auth('/invitation', { token })).expect(200).body).toEqual({ ...shown, has_account: false });
    (await ida.auth('/join', { token: `${token.slice(0, -1)}_`, password: ida.password })).expect(404, 'invitation_not_found');
    (await ida.auth('/join', { token, password: 'short' })).expect(400, 'validation_failed');
    (await ida.auth('/join', { token, password: ida.password, name: 'Ida' })).expect(200);
    const { account, organization, role } = (await ida.api.get('/account/session')).expect(200).body;
    expect([account.name, account.email_verified, organization.name, role]).toEqual(['Ida', true, shown.organization, 'viewer']);
    (await ida.auth('/join', { token, password: ida.password })).expect(404, 'invitation_not_found');
    await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
      const joined = entries.find(
        ({ action, target }: { action: string; target: { name: string } }) => action === 'member.added' && target.name === 'viewer',
      );
      expect(joined.actor).toMatchObject({ kind: 'account', email: ida.email });
    });
  });

  test('an account joins by the link with its own password only, and by the sign-in page if it has a second factor', async () => {
    const [boss, ada] = await Promise.all([owner(), owner()]);
    (await boss.api.post('/account/invitations', { email: ada.email, role: 'admin' })).expect(201);
    const token = await invitationToken(ada.email);
    const home = new Person({ email: ada.email });
    expect((await home.auth('/invitation', { token })).expect(200).body).toMatchObject({ has_account: true });
    (await home.auth('/join', { token, password: 'not the password' })).expect(400, 'validation_failed');
    const { totpURI } = (await ada.auth('/two-factor/enable', { password: ada.password })).expect(200).body;
    (await ada.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
    expect((await home.auth('/join', { token, password: ada.password })).expect(200).body).toEqual({ status: true });
    expect((await home.api.get('/account/session')).expect(200).body.account).toBeNull();
    (await ada.auth('/two-factor/disable', { password: ada.password })).expect(200);
    (await home.auth('/join', { token, password: ada.password })).expect(200);
    expect((await home.api.get('/account/session')).expect(200).body).toMatchObject({
      role: 'admin',
      organization: { name: `Studio ${boss.email}` },
    });
  });

  test('resendMemberInvitation: mails the link again, which works for 7 days from then, and an admin cannot for an owner', async () => {
    const boss = await owner();
    const admin = await newMember(boss, 'admin');
    const ida = new Person();
    const { invitation } = (await boss.api.post('/account/invitations', { email: ida.email, role: 'viewer' })).expect(201).body;
    const mails = () => mailsTo(boss.platform, ida.email).length;
    await eventually(async () => expect(mails()).toBe(1));
    const again = (await admin.api.post(`/account/invitations/${invitation.id}/resend`)).expect(200).body.invitation;
    expect({ ...again, expires_at: '' }).toEqual({ ...invitation, expires_at: '' });
    expect(Date.parse(again.expires_at)).toBeGreaterThan(Date.parse(invitation.expires_at));
    await eventually(async () => expect(mails()).toBe(2));
    const owned = (await boss.api.post('/account/invitations', { email: new Person().email, role: 'owner' })).expect(201).body.invitation;
    (await admin.api.post(`/account/invitations/${owned.id}/resend`)).expect(403, 'role_missing');
    (await (await owner()).api.post(`/account/invitations/${owned.id}/resend`)).expect(404, 'invitation_not_found');
  });

  test('withdrawInvitation, acceptInvitation: a withdrawn invitation and a changed token answer 404', async () => {
    const [boss, ada] = await Promise.all([owner(), personWithoutOrganization()]);
    const { invitation } = (await boss.api.post('/account/invitations', { email: ada.email, role: 'viewer' })).expect(201).body;
    const token = await invitationToken(ada.email);
    (await ada.api.post('/account/invitations/accept', { token: `${token.slice(0, -1)}_` })).expect(404, 'invitation_not_found');
    (await boss.api.delete(`/account/invitations/${invitation.id}`)).expect(200);
    (await ada.api.post('/account/invitations/accept', { token })).expect(404, 'invitation_not_found');
    (await boss.api.delete(`/account/invitations/${invitation.id}`)).expect(404, 'invitation_not_found');
    (await boss.api.post('/account/invitations', { email: 'a', role: 'boss' })).expect(400, 'validation_failed');
  });
});

describe('the organization', () => {
  test('updateOrganization: members without the second factor that an owner requires may do nothing else; keys go on', async () => {
    const boss = await owner();
    const [admin, developer] = [await newMember(boss, 'admin'), await newMember(boss, 'developer')];
    const { secret } = (await developer.api.post('/account/keys', { name: 'CI', permissions: ['read'] })).expect(201).body;
    const required = { require_second_factor: true };
    const setUp = async (person: Person) => {
      const { totpURI } = (await person.auth('/two-factor/enable', { password: person.password })).expect(200).body;
      (await person.auth('/two-factor/verify-totp', { code: totp(totpURI) })).expect(200);
    };
    (await boss.api.patch('/account/organization', required)).expect(400, 'validation_failed');
    (await admin.api.patch('/account/organization', required)).expect(403, 'role_missing');
    await setUp(boss);
    expect((await boss.api.patch('/account/organization', required)).expect(200).body.organization).toMatchObject(required);
    await eventually(async () => (await developer.api.get('/projects')).expect(403, 'second_factor_required'));
    expect((await developer.api.get('/account/session')).expect(200).body).toMatchObject({ second_factor_required: true });
    (await new Api(baseUrl, secret).get('/projects')).expect(200);
    (await boss.api.get('/projects')).expect(200);
    await setUp(developer);
    await eventually(async () => (await developer.api.get('/projects')).expect(200));
    expect((await developer.api.get('/account/session')).expect(200).body).toMatchObject({ second_factor_required: false });
  });

  test('getOrganization, updateOrganization: change only the fields in the body, and answer 412 to an outdated ETag', async () => {
    const { api } = await owner();
    const { headers } = (await api.get('/account/organization')).expect(200);
    const look = { accent_color: '#b4431f', mail_sender_name: 'Kiln', contact_email: 'hello@kiln.example' };
    const match = { 'if-match': headers.get('etag') ?? '' };
    expect((await api.patch('/account/organization', look, match)).expect(200).body.organization).toMatchObject(look);
    (await api.patch('/account/organization', { name: 'Late' }, match)).expect(412, 'edited_meanwhile');
    (await api.patch('/account/organization', { mail_sender_name: null, contact_email: null })).expect(200);
    (await api.patch('/account/organization', { contact_email: 'call us' })).expect(400, 'validation_failed');
    (await api.patch('/account/organization', { logo_url: '/logos/x' })).expect(400, 'validation_failed');
    (await api.patch('/account/organization', { accent_color: 'red' })).expect(400, 'validation_failed');
    (await api.patch('/account/organization', { slug: 'other' })).expect(400, 'validation_failed');
  });
});
