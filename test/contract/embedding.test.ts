import { randomUUID } from 'node:crypto';
import { EmbedClient, EmbedSession, operations } from '@webkiln/contract';
import { agency, byTime, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { type EmbedPair, embedPair, openEmbedSession, requestSession } from '../harness/embed-session.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

describe('embed clients', () => {
  const path = '/account/embed-clients';
  const wanted = { name: 'Portal', allowed_origins: ['https://App.Example.com/', 'http://localhost:3000'] };
  const unknown = `emb_${'0'.repeat(32)}`;
  const isSecret = expect.stringMatching(/^embs_[0-9A-Za-z]{49}$/);

  let ada: Person;
  let eve: Person;
  beforeAll(async () => {
    [ada, eve] = await Promise.all([owner(), owner()]);
  });

  async function make(api = ada.api, fields: Partial<typeof wanted> = {}): Promise<{ embed_client: EmbedClient; secret: string }> {
    return (await api.post(path, { ...wanted, ...fields })).expect(201).body;
  }

  interface Act {
    readonly at: string;
    readonly action: string;
    readonly target: { readonly kind: string; readonly id: string; readonly name: string };
  }

  /** The audit entries about embed clients, oldest first. */
  async function acts(api: Api): Promise<Act[]> {
    const { entries } = (await api.get('/account/audit')).expect(200).body as { entries: Act[] };
    return entries.filter(({ target }) => target.kind === 'embed_client').sort(byTime);
  }

  test('createEmbedClient: answers 201 with exactly the contract fields, normalized origins and the secret', async () => {
    const { embed_client, secret } = await make();
    expect(Object.keys(embed_client)).toEqual(Object.keys(EmbedClient.shape));
    expect(embed_client).toMatchObject({
      id: expect.stringMatching(/^emb_[0-9a-f]{32}$/),
      name: 'Portal',
      allowed_origins: ['https://app.example.com', 'http://localhost:3000'],
      secret_prefix: secret.slice(0, 10),
      previous_secret_until: null,
    });
    expect(secret).toEqual(isSecret);
  });

  test('createEmbedClient: removes duplicate origins', async () => {
    const allowed_origins = ['https://a.example', 'https://A.example:443/', 'https://a.example:8443'];
    expect((await make(ada.api, { allowed_origins })).embed_client.allowed_origins).toEqual([
      'https://a.example',
      'https://a.example:8443',
    ]);
  });

  test.each([
    ['no name', { allowed_origins: wanted.allowed_origins }, 'name: is required'],
    ['no origins', { name: 'Portal' }, 'allowed_origins: is required'],
    ['an empty list of origins', { name: 'Portal', allowed_origins: [] }, 'allowed_origins: must name at least one origin'],
    ['21 origins', { name: 'Portal', allowed_origins: Array(21).fill('https://a.example') }, 'allowed_origins: must have at most 20'],
    ['an invalid origin', { name: 'Portal', allowed_origins: ['https://*.example.com'] }, 'allowed_origins.0: must be an origin such as'],
    ['a secret of its own', { ...wanted, secret: 'embs_x' }, 'secret: is not a field'],
  ])('createEmbedClient: answers 400 to %s and names the wrong field', async (_case, body, sentence) => {
    expect((await ada.api.post(path, body)).expect(400, 'validation_failed').body.error).toContain(sentence);
  });

  test('createEmbedClient, rotateEmbedClient: have one effect per Idempotency-Key, and repeat the secret', async () => {
    const { api } = await owner();
    const repeat = async (to: string, body: object) => {
      const key = { 'idempotency-key': randomUUID() };
      const [first, again] = [await api.post(to, body, key), await api.post(to, body, key)];
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([first.status, first.body, 'true']);
      return first.body;
    };
    const made = await repeat(path, wanted);
    const rotated = await repeat(`${path}/${made.embed_client.id}/rotate`, { grace_hours: 1 });
    expect([made.secret, rotated.secret]).toEqual([isSecret, isSecret]);
    expect((await api.get(path)).body.total).toBe(1);
    await eventually(async () =>
      expect((await acts(api)).map(({ action }) => action)).toEqual(['embed_client.created', 'embed_client.rotated']),
    );
  });

  test('listEmbedClients: answers 200 with the embed clients of the organization, newest first, in pages, without secrets', async () => {
    const { api } = await owner();
    const [first, second] = [await make(api), await make(api, { name: 'Shop' })];
    const { body } = (await api.get(path)).expect(200);
    expect(body).toEqual({ embed_clients: [second.embed_client, first.embed_client], total: 2 });
    expect((await api.get(`${path}?limit=1&offset=1`)).expect(200).body).toEqual({ embed_clients: [first.embed_client], total: 2 });
  });

  test('getEmbedClient: answers 200 with the embed client', async () => {
    const { embed_client } = await make();
    expect((await ada.api.get(`${path}/${embed_client.id}`)).expect(200).body).toEqual({ embed_client });
  });

  test('updateEmbedClient: changes only the fields in the body, and answers 412 to an outdated ETag', async () => {
    const { embed_client } = await make();
    const one = `${path}/${embed_client.id}`;
    const match = { 'if-match': (await ada.api.get(one)).headers.get('etag') ?? '' };
    const changed = { ...embed_client, allowed_origins: ['https://b.example'] };
    expect((await ada.api.patch(one, { allowed_origins: ['https://B.example'] }, match)).expect(200).body).toEqual({
      embed_client: changed,
    });
    (await ada.api.patch(one, { name: 'Late' }, match)).expect(412, 'edited_meanwhile');
    expect((await ada.api.patch(one, { name: 'Shop' })).expect(200).body).toEqual({ embed_client: { ...changed, name: 'Shop' } });
  });

  test('updateEmbedClient: answers 400 to invalid values and changes nothing', async () => {
    const { embed_client } = await make();
    const one = `${path}/${embed_client.id}`;
    for (const fields of [
      { name: null },
      { allowed_origins: [] },
      { allowed_origins: ['http://a.example'] },
      { secret_prefix: 'embs_abcde' },
    ]) {
      (await ada.api.patch(one, fields)).expect(400, 'validation_failed');
    }
    expect((await ada.api.get(one)).body).toEqual({ embed_client });
  });

  test('rotateEmbedClient: answers 200 with a new secret and the time at which the old one expires', async () => {
    const { embed_client, secret } = await make();
    const one = `${path}/${embed_client.id}`;
    const { body } = (await ada.api.post(`${one}/rotate`, { grace_hours: 24 })).expect(200);
    expect(body.secret).toEqual(isSecret);
    expect(body.secret).not.toBe(secret);
    expect(body.embed_client).toMatchObject({ id: embed_client.id, secret_prefix: body.secret.slice(0, 10) });
    expect(Date.parse(body.embed_client.previous_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect((await ada.api.post(`${one}/rotate`, {})).expect(200).body.embed_client.previous_secret_until).toBeNull();
  });

  test('rotateEmbedClient: answers 400 to a grace period over one day', async () => {
    const { embed_client } = await make();
    (await ada.api.post(`${path}/${embed_client.id}/rotate`, { grace_hours: 25 })).expect(400, 'validation_failed');
  });

  test('deleteEmbedClient: answers 200 {deleted, id}, and 404 when repeated', async () => {
    const { id } = (await make()).embed_client;
    expect((await ada.api.delete(`${path}/${id}`)).expect(200).body).toEqual({ deleted: true, id });
    (await ada.api.delete(`${path}/${id}`)).expect(404, 'embed_client_not_found');
    (await ada.api.get(`${path}/${id}`)).expect(404, 'embed_client_not_found');
  });

  test('getEmbedClient, updateEmbedClient, rotateEmbedClient, deleteEmbedClient: answer 404 to foreign, unknown and malformed ids', async () => {
    const { embed_client } = await make();
    for (const id of [embed_client.id, unknown, randomUUID(), 'nonsense', embed_client.id.toUpperCase()]) {
      (await eve.api.get(`${path}/${id}`)).expect(404, 'embed_client_not_found');
      (await eve.api.patch(`${path}/${id}`, { name: 'Mine' })).expect(404, 'embed_client_not_found');
      (await eve.api.post(`${path}/${id}/rotate`, {})).expect(404, 'embed_client_not_found');
      (await eve.api.delete(`${path}/${id}`)).expect(404, 'embed_client_not_found');
    }
    expect((await eve.api.get(path)).body.total).toBe(0);
    expect((await ada.api.get(`${path}/${embed_client.id}`)).expect(200).body).toEqual({ embed_client });
  });

  test('listEmbedClients, createEmbedClient: answer 403 to an API key without the permission for it, and 401 without a credential', async () => {
    const { api } = await agency();
    (await api.get(path)).expect(403, 'permission_missing');
    (await api.post(path, wanted)).expect(403, 'permission_missing');
    (await new Api(`${sharedPlatform().origins[0]}/api/v1`).get(path)).expect(401, 'missing_credential');
  });

  test('listEmbedClients, getEmbedClient, updateEmbedClient, deleteEmbedClient: never return the secret', async () => {
    const { embed_client, secret } = await make();
    const one = `${path}/${embed_client.id}`;
    const answers = [
      await ada.api.get(path),
      await ada.api.get(one),
      await ada.api.patch(one, { name: 'Shop' }),
      await ada.api.delete(one),
    ];
    for (const { body } of answers) for (const hidden of [secret, '"secret"', 'hash']) expect(JSON.stringify(body)).not.toContain(hidden);
  });

  test('listAudit: contains every change of an embed client, and no entry for an update without a change', async () => {
    const { api } = await owner();
    const { id } = (await make(api)).embed_client;
    (await api.patch(`${path}/${id}`, { name: 'Portal' })).expect(200);
    (await api.patch(`${path}/${id}`, { name: 'Shop' })).expect(200);
    (await api.post(`${path}/${id}/rotate`, {})).expect(200);
    (await api.delete(`${path}/${id}`)).expect(200);
    const about = (name: string) => ({ kind: 'embed_client', id, name });
    await eventually(async () =>
      expect((await acts(api)).map(({ action, target }) => [action, target])).toEqual([
        ['embed_client.created', about('Portal')],
        ['embed_client.changed', about('Portal')],
        ['embed_client.rotated', about('Shop')],
        ['embed_client.deleted', about('Shop')],
      ]),
    );
  });
});

describe('embed sessions', () => {
  let ada: Person;
  let pair: EmbedPair;
  beforeAll(async () => {
    ada = await owner();
    pair = await embedPair(ada, ['https://app.example.com']);
  });

  const email = () => `${randomUUID()}@example.com`;
  const client = async (status = 'active') => {
    const made = (await ada.api.post('/clients', { email: email() })).expect(201).body.client;
    return (await ada.api.patch(`/clients/${made.id}`, { status })).expect(200).body.client;
  };
  const refusal = async (body: object, headers = {}) => {
    const response = await requestSession(body, headers);
    return [response.status, ((await response.json()) as { code?: string }).code];
  };

  describe('POST /api/embed/session', () => {
    test('answers 201 with a token for 24 hours, the builder and a new empty project of a user without a client', async () => {
      const opened = await openEmbedSession(pair);
      const { origins } = sharedPlatform();
      expect(opened).toMatchObject({
        token: expect.stringMatching(/^embt_[0-9A-Za-z]{49}$/),
        builder_url: `${origins[0]}/builder/${opened.project.id}?e=${pair.client_id}#token=${opened.token}`,
        project: { name: 'New website', org_client_id: null, published_url: null, last_opened_at: expect.any(String) },
      });
      const lasts = Date.parse(opened.expires_at) - Date.now();
      expect(lasts).toBeGreaterThan(86_000_000);
      expect(lasts).toBeLessThanOrEqual(86_400_000);
      expect((await opened.api.get(`/projects/${opened.project.id}/files`)).expect(200).body.files).toEqual([]);
    });

    test('takes the pair as HTTP Basic credentials', async () => {
      const authorization = `Basic ${btoa(`${pair.client_id}:${pair.client_secret}`)}`;
      expect((await requestSession({ user_id: randomUUID() }, { authorization })).status).toBe(201);
    });

    test('opens the last opened project of a user again, and a named one; ten first sessions at once make one user', async () => {
      const user_id = randomUUID();
      const first = await Promise.all(Array.from({ length: 10 }, () => openEmbedSession(pair, { user_id })));
      expect(new Set(first.map(({ project }) => project.user_id)).size).toBe(1);
      const { project } = await openEmbedSession(pair, { user_id, prompt: 'A bakery in Lyon\nwith a menu' });
      expect(project.name).toBe('A bakery in Lyon');
      expect((await openEmbedSession(pair, { user_id })).project.id).toBe(project.id);
      const named = first[0]?.project.id;
      expect((await openEmbedSession(pair, { user_id, project_id: named })).project.id).toBe(named);
      expect((await openEmbedSession(pair, { user_id })).project.id).toBe(named);
    });

    test('repeated with one Idempotency-Key makes one project, each time with a token of its own', async () => {
      const [user_id, headers] = [randomUUID(), { 'idempotency-key': randomUUID() }];
      const sessions = await Promise.all([1, 2, 3].map(() => openEmbedSession(pair, { user_id, prompt: 'A gym' }, headers)));
      expect(new Set(sessions.map(({ project }) => project.id)).size).toBe(1);
      expect(new Set(sessions.map(({ token }) => token)).size).toBe(3);
    });

    test('copies a template of the organization, and answers 404 for any other', async () => {
      const source = await openEmbedSession(pair);
      const builtFiles = { 'index.html': '<title>Hi</title>' };
      (await source.api.post(`/projects/${source.project.id}/publish`, { builtFiles })).expect(200);
      const { template } = (await ada.api.post('/templates', { name: 'Start', source_project_id: source.project.id })).expect(201).body;
      const copy = await openEmbedSession(pair, { template_id: template.id });
      expect((await copy.api.get(`/projects/${copy.project.id}/files`)).body.files).toMatchObject([{ path: 'index.html' }]);
      const eve = await owner();
      const foreign = await embedPair(eve);
      expect(await refusal({ ...foreign, user_id: 'u', template_id: template.id })).toEqual([404, 'template_not_found']);
    });

    test("with a client's email opens the client's own projects, and makes an invited client active", async () => {
      const active = await client();
      const { project } = (await ada.api.post('/projects', { client_email: active.email, name: 'Shop' })).expect(201).body;
      const opened = await openEmbedSession(pair, { email: active.email.toUpperCase() });
      expect(opened.project).toMatchObject({ id: project.id, org_client_id: active.id });
      const invited = (await ada.api.post('/clients', { email: email() })).expect(201).body.client;
      await openEmbedSession(pair, { email: invited.email });
      expect((await ada.api.get(`/clients/${invited.id}`)).body.client.status).toBe('active');
    });

    test('gives a user who gets a client the projects that it made before', async () => {
      const user_id = randomUUID();
      const before = await openEmbedSession(pair, { user_id });
      const { id, email } = await client();
      const after = await openEmbedSession(pair, { user_id, email });
      expect(after.project).toMatchObject({ id: before.project.id, org_client_id: id });
      expect((await openEmbedSession(pair, { user_id })).project.id).toBe(before.project.id);
    });

    test.each(['suspended', 'churned'])('answers 403 for a %s client', async (status) => {
      const { email } = await client(status);
      expect(await refusal({ ...pair, user_id: randomUUID(), email })).toEqual([403, 'client_paused']);
    });

    test("answers 400 when the client's plan allows no further site", async () => {
      const { plan } = (await ada.api.post('/plans', { name: `One ${randomUUID()}`, max_sites: 1, price: 0 })).expect(201).body;
      const { id, email } = await client();
      (await ada.api.patch(`/clients/${id}`, { plan_id: plan.id })).expect(200);
      const user = { ...pair, user_id: randomUUID(), email, prompt: 'A shop' };
      expect((await requestSession(user)).status).toBe(201);
      expect(await refusal(user)).toEqual([400, 'plan_limit_reached']);
    });

    test.each([
      ['no pair', { client_secret: undefined }, 400, 'validation_failed'],
      ['no user', { user_id: undefined }, 400, 'validation_failed'],
      ['an unknown field', { theme: 'dark' }, 400, 'validation_failed'],
      ['a project and a prompt', { project_id: randomUUID(), prompt: 'A shop' }, 400, 'validation_failed'],
      ["a project that is not the user's", { project_id: randomUUID() }, 404, 'project_not_found'],
      ['a wrong secret', { client_secret: `embs_${'0'.repeat(49)}` }, 401, 'invalid_embed_client'],
      ['an unknown embed client', { client_id: `emb_${'0'.repeat(32)}` }, 401, 'invalid_embed_client'],
    ])('answers to %s', async (_case, change, status, code) => {
      expect(await refusal({ ...pair, user_id: randomUUID(), ...change })).toEqual([status, code]);
    });

    test('answers 405 to a GET, 415 to a form and 400 to broken JSON', async () => {
      const url = `${sharedPlatform().origins[0]}/api/embed/session`;
      const answered = async (init: RequestInit) => (await fetch(url, init)).status;
      expect(await answered({})).toBe(405);
      expect(await answered({ method: 'POST', body: new URLSearchParams(pair as never) })).toBe(415);
      expect(await answered({ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' })).toBe(400);
    });

    test('answers 429 after 20 wrong secrets of one embed client, and still 201 to the right one', async () => {
      const own = await embedPair(ada);
      const wrong = { ...own, client_secret: 'embs_wrong', user_id: 'u' };
      const codes = [];
      for (let attempt = 0; attempt < 22; attempt++) codes.push((await refusal(wrong))[0]);
      expect(codes).toEqual([...Array(20).fill(401), 429, 429]);
      expect((await requestSession({ ...own, user_id: 'u' })).status).toBe(201);
    });

    test('answers 403 browser_key to browsers, on whatever page, and sends no CORS permission for the pair', async () => {
      for (const origin of ['https://app.example.com', sharedPlatform().origins[0] ?? '']) {
        const response = await requestSession({ ...pair, user_id: 'u' }, { origin });
        expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'browser_key']);
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    });
  });

  test('an embed token reaches exactly the operations on the projects of its user', async () => {
    const user_id = randomUUID();
    const { api, project } = await openEmbedSession(pair, { user_id });
    // A token may ask 100 times a minute, and there are more operations.
    const { api: second } = await openEmbedSession(pair, { user_id, project_id: project.id });
    const reached: string[] = [];
    for (const [index, [name, { method, path }]] of Object.entries(operations).entries()) {
      const filled = path.replace('{projectId}', project.id).replaceAll(/\{\w+\}/g, randomUUID());
      const answer = await (index % 2 === 0 ? api : second).raw(filled, { method, headers: { 'content-type': 'text/plain' } });
      if (answer.status !== 403) reached.push(name);
      else expect(await answer.json()).toMatchObject({ code: 'embed_token_refused' });
    }
    expect(reached.sort()).toEqual(
      Object.entries(operations)
        .filter(([, { embed }]) => embed)
        .map(([name]) => name)
        .sort(),
    );
  });

  test('an embed token sees a foreign project like an unknown one', async () => {
    const [{ api }, other] = await Promise.all([openEmbedSession(pair), openEmbedSession(pair)]);
    for (const id of [other.project.id, randomUUID()]) (await api.get(`/projects/${id}`)).expect(404, 'project_not_found');
  });

  test('getEmbedSession: answers 200 with exactly the contract fields and the brand, and 403 to keys and people', async () => {
    (await ada.api.patch('/account/organization', { accent_color: '#0a7a5c' })).expect(200);
    const { api, project } = await openEmbedSession(pair, { user_id: 'u-1', prompt: 'A bakery' });
    const { embed_session, theme } = (await api.get('/embed/session')).expect(200).body;
    expect(Object.keys(embed_session)).toEqual(Object.keys(EmbedSession.shape));
    expect(embed_session).toMatchObject({
      embed_client_id: pair.client_id,
      external_user_id: 'u-1',
      project_id: project.id,
      prompt: 'A bakery',
    });
    expect(theme).toEqual({ name: expect.any(String), accent_color: '#0a7a5c', logo_url: null });
    (await ada.api.get('/embed/session')).expect(403, 'role_missing');
  });

  test('listEmbedSessions and revokeEmbedSession: a revoked token answers 401, on each gateway, and the act is audited', async () => {
    const bob = await owner();
    const opened = await openEmbedSession(await embedPair(bob), { user_id: 'customer 7' });
    const { embed_sessions, total } = (await bob.api.get('/account/embed-sessions')).expect(200).body;
    expect([embed_sessions, total]).toEqual([
      [expect.objectContaining({ external_user_id: 'customer 7', project_id: opened.project.id })],
      1,
    ]);
    (await opened.api.get('/embed/session')).expect(200);
    const { id } = embed_sessions[0];
    expect((await bob.api.delete(`/account/embed-sessions/${id}`)).expect(200).body).toEqual({ deleted: true, id });
    await eventually(async () => (await opened.api.get('/embed/session')).expect(401, 'invalid_embed_token'));
    (await bob.api.delete(`/account/embed-sessions/${id}`)).expect(404, 'embed_session_not_found');
    (await ada.api.delete(`/account/embed-sessions/${id}`)).expect(404, 'embed_session_not_found');
    expect((await bob.api.get('/account/embed-sessions')).body).toMatchObject({ embed_sessions: [], total: 0 });
    await eventually(async () => {
      const { entries } = (await bob.api.get('/account/audit')).body;
      expect(entries).toContainEqual(expect.objectContaining({ action: 'embed_session.revoked' }));
    });
  });

  test("a session stops with its client's suspension and works again after it", async () => {
    const { id, email } = await client();
    const { api } = await openEmbedSession(pair, { email });
    (await ada.api.patch(`/clients/${id}`, { status: 'suspended' })).expect(200);
    await eventually(async () => (await api.get('/embed/session')).expect(401));
    (await ada.api.patch(`/clients/${id}`, { status: 'active' })).expect(200);
    await eventually(async () => (await api.get('/embed/session')).expect(200));
  });

  test('the sessions of a deleted embed client end', async () => {
    const own = await embedPair(ada);
    const { api } = await openEmbedSession(own);
    (await ada.api.delete(`/account/embed-clients/${own.client_id}`)).expect(200);
    await eventually(async () => (await api.get('/embed/session')).expect(401));
    expect(await refusal({ ...own, user_id: 'u' })).toEqual([401, 'invalid_embed_client']);
  });

  test('the builder is shown in frames of the embed client that its address names, and in no other', async () => {
    const { builder_url } = await openEmbedSession(pair);
    const policy = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).headers.get('content-security-policy');
    expect(await policy(builder_url)).toContain("frame-ancestors 'self' https://app.example.com");
    for (const other of [builder_url.replace(/\?.*/, ''), builder_url.replace(pair.client_id, `emb_${'0'.repeat(32)}`)])
      expect(await policy(other)).toContain("frame-ancestors 'none'");
  });
});
