import { randomUUID } from 'node:crypto';
import { BuildLink, ChatMessage, Project } from '@webkiln/contract';
import { nextDayTimeoutMs, withinOneDay } from '@webkiln/store/testing';
import { agency, eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { chat, partsOf, sendChat, textOf } from '../harness/chat.ts';
import { type EmbedPair, embedPair, type OpenedSession, openEmbedSession } from '../harness/embed-session.ts';
import { grantCredits, setLimit } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { makeProject, makeTemplate } from './fixtures.ts';

describe('building', () => {
  const platform = sharedPlatform();
  const origin = platform.origins[0] ?? '';

  describe('builds', () => {
    let ada: Person;
    beforeAll(async () => {
      ada = await owner();
    });

    test('startBuild: answers 201 with an empty project without a client, which a retry answers with again', async () => {
      const again = { 'Idempotency-Key': randomUUID() };
      const { body } = (await ada.api.post('/account/build', { name: 'Bakery' }, again)).expect(201);
      expect(Project.safeParse(body.project).success).toBe(true);
      expect(body.project).toMatchObject({ name: 'Bakery', org_client_id: null, template: null, published_url: null });
      expect(body.builder_url).toContain(`/builder/${body.project.id}`);
      expect((await ada.api.post('/account/build', { name: 'Bakery' }, again)).expect(201).body.project.id).toBe(body.project.id);
      expect((await ada.api.get(`/projects/${body.project.id}/files`)).expect(200).body.files).toEqual([]);
    });

    test('startBuild: copies a template', async () => {
      const template = await makeTemplate(ada.api);
      const { project } = (await ada.api.post('/account/build', { name: 'Copy', template_id: template.id })).expect(201).body;
      expect(project.template).toBe(template.id);
      const files = async (of: string) => (await ada.api.get(of)).expect(200).body.files;
      expect(await files(`/projects/${project.id}/files`)).toEqual(await files(`/templates/${template.id}/files`));
    });

    test("startBuild: answers 404 template_not_found to an unknown template, and to another organization's", async () => {
      const foreign = await makeTemplate((await owner()).api);
      for (const template_id of [randomUUID(), foreign.id]) {
        (await ada.api.post('/account/build', { name: 'Copy', template_id })).expect(404, 'template_not_found');
      }
    });
  });

  describe('build links', () => {
    const path = '/account/build-links';
    const prompt = 'A site for a bakery in Lyon';

    let ada: Person;
    let eve: Person;
    beforeAll(async () => {
      await agency(); // connects the operator
      [ada, eve] = await Promise.all([owner(), owner()]);
    });

    const make = async (body: object = { prompt }) => (await ada.api.post(path, body)).expect(201).body.build_link as BuildLink;
    /** What a stranger's browser reads. */
    const opened = (id: string) => fetch(`${origin}/api/build-links/${id}`);
    const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];

    test('createBuildLink: answers 201 with an address that expires, and a repeat with the same key makes no second one', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const { build_link } = (await ada.api.post(path, { prompt, model: 'chat', expires_in_days: 2 }, key)).expect(201).body;
      expect(BuildLink.safeParse(build_link).success).toBe(true);
      expect(build_link).toMatchObject({ prompt, template_id: null, model: 'chat', url: `${origin}/build?l=${build_link.id}` });
      expect(Date.parse(build_link.expires_at) - Date.parse(build_link.created_at)).toBe(2 * 86_400_000);
      expect((await ada.api.post(path, { prompt, model: 'chat', expires_in_days: 2 }, key)).expect(201).body.build_link.id).toBe(
        build_link.id,
      );
    });

    test('createBuildLink: answers 400 without prompt and template, and for days beyond a year', async () => {
      (await ada.api.post(path, {})).expect(400, 'validation_failed');
      (await ada.api.post(path, { prompt, expires_in_days: 366 })).expect(400, 'validation_failed');
    });

    test('createBuildLink: answers 404 template_not_found to an unknown template, and to another organization’s', async () => {
      const foreign = await makeTemplate(eve.api);
      for (const template_id of [randomUUID(), foreign.id]) (await ada.api.post(path, { template_id })).expect(404, 'template_not_found');
    });

    test('createBuildLink: answers 403 quota_exceeded beyond the quota of build links', async () => {
      const { api } = await owner();
      const orgId = (await api.get('/account/session')).expect(200).body.organization.id;
      await setLimit(orgId, 'build_links', 0);
      // A limit reaches the service within a second.
      await eventually(async () => (await api.post(path, { prompt })).expect(403, 'quota_exceeded'));
    });

    test('listBuildLinks: answers 200 with the links of the organization, newest first, and with none of another', async () => {
      const [first, second] = [await make(), await make({ template_id: (await makeTemplate(ada.api)).id })];
      const { build_links } = (await ada.api.get(`${path}?limit=2`)).expect(200).body;
      expect(build_links).toEqual([second, first]);
      expect((await eve.api.get(path)).expect(200).body.build_links).toEqual([]);
    });

    test('a stranger reads what a link asks for, and no more; after deleteBuildLink it is gone', async () => {
      const { id } = await make();
      const shown = await opened(id);
      const { organization: ours } = (await ada.api.get('/account/session')).expect(200).body;
      const organization = { id: ours.id, name: ours.name, logo: null, accent: null };
      expect([shown.status, await shown.json()]).toEqual([
        200,
        { prompt, template_id: null, model: null, allows_joining: false, organization },
      ]);
      expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
      (await eve.api.delete(`${path}/${id}`)).expect(404, 'build_link_not_found');
      expect((await ada.api.delete(`${path}/${id}`)).expect(200).body).toEqual({ deleted: true, id });
      (await ada.api.delete(`${path}/${id}`)).expect(404, 'build_link_not_found');
      expect(await refusal(await opened(id))).toEqual([404, 'build_link_not_found']);
      expect(await refusal(await opened('nonsense'))).toEqual([404, 'build_link_not_found']);
    });
  });

  describe('models', () => {
    const path = '/models';
    const choice = '/account/models';
    const none = { models: [], default_model: null };
    let boss: Person;
    beforeAll(async () => {
      boss = await owner();
    });

    test('getModels: answers 200 to members, clients and embed tokens; a platform without providers has no models', async () => {
      const [{ person }, embedded] = [await clientUser(boss), await openEmbedSession(await embedPair(boss))];
      for (const api of [boss.api, person.api, embedded.api]) expect((await api.get(path)).expect(200).body).toEqual(none);
    });

    test('getModels: answers 403 to an API key', async () => {
      const { secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
      (await new Api(`${boss.platform.origins[0]}/api/v1`, secret).get(path)).expect(403, 'person_required');
    });

    test('updateModels: answers 200 with what applies, and the change is in the audit log', async () => {
      expect((await boss.api.patch(choice, { allowed_models: [], default_model: null })).expect(200).body).toEqual(none);
      await eventually(async () => {
        const { entries } = (await boss.api.get('/account/audit')).expect(200).body;
        expect(entries).toContainEqual(expect.objectContaining({ action: 'models.changed' }));
      });
    });

    test('testModel: answers 400 with a sentence for a model that the platform does not have', async () => {
      const refused = (await boss.api.post(`${choice}/test`, { model: 'gpt-unknown' })).expect(400, 'validation_failed');
      expect(refused.body.error).toContain('model: is not offered');
    });

    test('updateModels: answers 400 with a sentence for a model that the platform does not have', async () => {
      const refused = (await boss.api.patch(choice, { default_model: 'gpt-unknown' })).expect(400, 'validation_failed');
      expect(refused.body.error).toContain('default_model: is no model of this platform');
      (await boss.api.patch(choice, { allowed_models: 'all' })).expect(400, 'validation_failed');
    });
  });

  describe('chat', () => {
    let ada: Person;
    let pair: EmbedPair;
    beforeAll(async () => {
      ada = await owner();
      pair = await embedPair(ada);
    });

    const prompt = 'build a bakery site in Lyon';
    const code = async (response: Response) => [response.status, ((await response.json()) as { code?: string }).code];
    const page = async ({ api, project }: OpenedSession, path = 'index.html') =>
      (await api.raw(`/projects/${project.id}/files/${path}`)).text();
    const messages = async ({ api, project }: OpenedSession) => (await api.get(`/projects/${project.id}/chat/messages`)).expect(200).body;

    test('sendChatMessage: answers 200 with a stream of the AI SDK that builds a site, as one revision', async () => {
      const session = await openEmbedSession(pair);
      const response = await sendChat(session, prompt);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-vercel-ai-ui-message-stream': 'v1',
        'cache-control': 'no-store',
      });
      const parts = await partsOf(response);
      expect(parts[0]).toMatchObject({ type: 'start', messageMetadata: { turn_id: expect.any(String) } });
      expect(textOf(parts)).toContain('is ready');
      const { revisions } = (await session.api.get(`/projects/${session.project.id}/revisions`)).expect(200).body;
      expect(revisions).toHaveLength(1);
      expect(parts.slice(-3)).toMatchObject([
        { type: 'data-preview', data: { revision_id: revisions[0].id } },
        { type: 'data-usage', data: { credits: 0 } },
        { type: 'finish', messageMetadata: { revision_id: revisions[0].id } },
      ]);
      const written = parts.filter(({ type }) => type === 'data-file').map(({ data }) => (data as { path: string }).path);
      const { files } = (await session.api.get(`/projects/${session.project.id}/files`)).body;
      expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([...new Set(written)].sort());
      expect(await page(session)).toContain('Lyon');
    });

    test('sendChatMessage: changes the site by a sentence, and says three things that it can do to what it does not understand', async () => {
      const session = await openEmbedSession(pair);
      await chat(session, prompt);
      const edited = await chat(session, 'Change the title to Chez Ana');
      expect(edited.filter(({ type }) => type === 'data-file').length).toBeGreaterThan(0);
      expect(await page(session)).toContain('Chez Ana');
      const before = await page(session);
      const odd = await chat(session, 'flurb the wug');
      expect(textOf(odd).match(/^- .+/gm)).toHaveLength(3);
      expect(odd.at(-1)).toMatchObject({ type: 'finish', messageMetadata: { revision_id: null } });
      expect(await page(session)).toBe(before);
    });

    test('the agency’s credits are for its members: a client and an embed session see them neither in the messages nor in the stream', async () => {
      const { client, person } = await clientUser(ada);
      const project = await makeProject(ada.api, client);
      const usage = async (api: Api) =>
        (await chat({ api, project }, prompt)).filter(({ type }) => type === 'data-usage').map(({ data }) => data);
      const balance = async (api: Api) => (await api.get(`/projects/${project.id}/chat/messages`)).expect(200).body.balance;
      const embedded = await openEmbedSession(pair, { email: client.email, project_id: project.id });
      expect([await usage(ada.api), await balance(ada.api)]).toEqual([[{ credits: 0, balance: 100 }], 100]);
      for (const api of [person.api, embedded.api]) expect([await usage(api), await balance(api)]).toEqual([[{ credits: 0 }], null]);
    });

    test('listChatMessages: answers 200 with both sides of each turn, oldest first', async () => {
      const session = await openEmbedSession(pair);
      expect(await messages(session)).toEqual({ messages: [], total: 0, balance: null });
      await chat(session, prompt);
      const { messages: listed, total } = await messages(session);
      expect(total).toBe(2);
      expect(Object.keys(listed[0])).toEqual(Object.keys(ChatMessage.shape));
      expect(listed).toMatchObject([
        { role: 'user', text: prompt, state: 'done', revision_id: null },
        { role: 'assistant', text: expect.stringContaining('is ready'), state: 'done', revision_id: expect.any(String) },
      ]);
      expect(listed[1].files).toContain('index.html');
    });

    test('of two messages at once one is answered 409 with the id of the turn that runs, unless that has ended', async () => {
      const session = await openEmbedSession(pair);
      const answers = await Promise.all(['1', '2', '3', '4'].map((name) => sendChat(session, `build a bakery called ${name}`)));
      const refused = answers.filter(({ status }) => status !== 200);
      for (const answer of refused) {
        expect(await answer.json()).toMatchObject({ code: 'turn_running', details: [{ path: 'turn_id', message: expect.any(String) }] });
      }
      for (const answer of answers.filter(({ status }) => status === 200)) await partsOf(answer);
      expect((await messages(session)).total).toBe(2 * (answers.length - refused.length));
    });

    test('resumeChat: a turn that has ended meanwhile is continued after the part that was seen last; after its end 204', async () => {
      const session = await openEmbedSession(pair);
      await chat(session, prompt);
      const stream = await (await sendChat(session, 'Change the title to Chez Ana')).text();
      const ids = [...stream.matchAll(/^id: (\d+)/gm)].map(([, id = '']) => id);
      const resumed = (id: string) => session.api.raw(`/projects/${session.project.id}/chat/stream`, { headers: { 'last-event-id': id } });
      for (const at of [0, ids.length - 2]) {
        expect(await (await resumed(ids[at] ?? '')).text()).toBe(stream.slice(stream.indexOf(`id: ${ids[at + 1]}\n`)));
      }
      const elsewhere = await openEmbedSession(pair);
      await chat(elsewhere, prompt);
      const foreign = (await partsOf(await sendChat(elsewhere, 'Change the title to Ana'))).at(-1)?.id;
      for (const id of [ids.at(-1) ?? '', String(foreign), '1', '999999999', 'x']) expect((await resumed(id)).status).toBe(204);
    });

    test('sendChatMessage: long messages of a chat leave with their turns, the oldest first, so that its words take 512 KB at most', async () => {
      const session = await openEmbedSession(pair, { user_id: 'talkative' });
      for (let number = 10; number < 20; number++) await chat(session, `${number} ${'é'.repeat(31_997)}`);
      const { messages } = (await session.api.get(`/projects/${session.project.id}/chat/messages`)).expect(200).body;
      const kept = messages.filter(({ role }: ChatMessage) => role === 'user').map(({ text }: ChatMessage) => text.slice(0, 2));
      expect(kept).toEqual(['12', '13', '14', '15', '16', '17', '18', '19']);
    });

    test('sendChatMessage: the same Idempotency-Key gives the same turn once it has ended, part for part', async () => {
      const session = await openEmbedSession(pair);
      const headers = { 'idempotency-key': randomUUID() };
      const first = await partsOf(await sendChat(session, prompt, headers));
      const again = await sendChat(session, prompt, headers);
      expect(await partsOf(again)).toEqual(first);
      expect((await messages(session)).total).toBe(2);
      expect(await code(await sendChat(session, 'another message', headers))).toEqual([422, 'idempotency_key_reused']);
    });

    test('resumeChat: answers 204 when no turn runs', async () => {
      const session = await openEmbedSession(pair);
      await chat(session, prompt);
      expect((await session.api.raw(`/projects/${session.project.id}/chat/stream`)).status).toBe(204);
    });

    test('stopChat: answers 200, and tells when no turn was running', async () => {
      const { api, project } = await openEmbedSession(pair);
      expect((await api.post(`/projects/${project.id}/chat/stop`)).expect(200).body).toEqual({ stopped: false });
    });

    test.each([
      ['no message', {}],
      ['an empty message', { message: ' ' }],
      ['a message of 32,001 characters', { message: 'x'.repeat(32_001) }],
      ['five images', { message: 'x', attachments: Array(5).fill({ media_type: 'image/png', data: 'AAAA' }) }],
      ['an attachment that is no image', { message: 'x', attachments: [{ media_type: 'text/html', data: 'AAAA' }] }],
      ['an image that is not base64', { message: 'x', attachments: [{ media_type: 'image/png', data: '%' }] }],
    ])('sendChatMessage: answers 400 to %s', async (_case, body) => {
      const { api, project } = await openEmbedSession(pair);
      (await api.post(`/projects/${project.id}/chat`, body)).expect(400, 'validation_failed');
    });

    test('chat is refused to API keys with 403, and a foreign project is like an unknown one', async () => {
      const [{ api: key }, session, other] = await Promise.all([agency(), openEmbedSession(pair), openEmbedSession(pair)]);
      (await key.post(`/projects/${session.project.id}/chat`, { message: 'x' })).expect(403, 'person_required');
      for (const id of [other.project.id, randomUUID()]) {
        (await session.api.post(`/projects/${id}/chat`, { message: 'x' })).expect(404, 'project_not_found');
        for (const path of ['stream', 'messages']) (await session.api.get(`/projects/${id}/chat/${path}`)).expect(404, 'project_not_found');
        (await session.api.post(`/projects/${id}/chat/stop`)).expect(404, 'project_not_found');
      }
    });

    test(
      "sendChatMessage: a client's messages of a day end with its plan, in 429 until 00:00 UTC; those of others go on",
      async () => {
        await withinOneDay();
        const plan = { name: `Small ${randomUUID()}`, price: 0, max_sites: 4, max_ai_messages_daily: 1 };
        const { id: plan_id } = (await ada.api.post('/plans', plan)).expect(201).body.plan;
        const email = `${randomUUID()}@example.com`;
        const { client } = (await ada.api.post('/clients', { email, plan_id })).expect(201).body;
        const session = await openEmbedSession(pair, { email });
        expect(session.project.org_client_id).toBe(client.id);
        // At once, in projects of their own: one counts.
        const projects = await Promise.all([1, 2, 3].map(() => makeProject(ada.api, client)));
        const others = await Promise.all(projects.map(({ id }) => openEmbedSession(pair, { email, project_id: id })));
        const answers = await Promise.all([session, ...others].map((each) => sendChat(each, prompt)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429]);
        await Promise.all(answers.map((answer) => answer.text()));
        const refused = await sendChat(session, 'make the header green');
        expect(refused.status).toBe(429);
        expect(await refused.json()).toMatchObject({
          ...{ code: 'daily_messages_reached', details: [{ plan_limit: { limit: 'max_ai_messages_daily', allowed: 1, used: 1 } }] },
          error: expect.stringContaining(`With your plan ${plan.name}, 1 message a day is allowed, and 1 is used today, until 00:00 UTC; `),
        });
        expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
        await chat(await openEmbedSession(pair), prompt);
      },
      nextDayTimeoutMs,
    );

    test('members build the projects of their clients', async () => {
      const session = await openEmbedSession(pair);
      await chat({ api: ada.api, project: session.project }, prompt);
      expect(await page(session)).toContain('Lyon');
    });
  });

  describe('credits', () => {
    const path = '/account/credits';
    const opened = { kind: 'granted', amount: 100, balance: 100, turn_id: null, project_id: null };

    let boss: Person;
    let orgId: string;
    beforeAll(async () => {
      await agency(); // connects the operator
      boss = await owner();
      orgId = (await boss.api.get('/account/session')).expect(200).body.organization.id;
    });

    test('getCredits: answers 200 with the 100 credits that an organization begins with, in its ledger', async () => {
      const { balance, reserved, entries, total } = (await (await owner()).api.get(path)).expect(200).body;
      expect([balance, reserved, total]).toEqual([100, 0, 1]);
      expect(entries).toEqual([expect.objectContaining(opened)]);
    });

    test('getCredits: answers 403 to an API key without the permission for it', async () => {
      const { secret } = (await boss.api.post('/account/keys', { name: 'CI', permissions: ['read', 'write'] })).expect(201).body;
      (await new Api(`${boss.platform.origins[0]}/api/v1`, secret).get(path)).expect(403, 'permission_missing');
    });

    test('getCredits: first requests at once open one account, with one first line', async () => {
      const { api } = await owner();
      const answers = await Promise.all(Array.from({ length: 8 }, () => api.get(path)));
      for (const answer of answers) expect(answer.expect(200).body.balance).toBe(100);
      expect((await api.get(path)).body.total).toBe(1);
    });

    test('what an operator grants is in the balance, in the ledger and in the audit log', async () => {
      expect((await grantCredits(orgId, 400, 'Welcome')).balance).toBe(500);
      const { balance, entries } = (await boss.api.get(path)).expect(200).body;
      expect(balance).toBe(500);
      expect(entries[0]).toMatchObject({ kind: 'granted', amount: 400, balance: 500, note: 'Welcome' });
      await eventually(async () => {
        const acts = (await boss.api.get('/account/audit')).expect(200).body.entries;
        expect(acts).toContainEqual(expect.objectContaining({ action: 'credits.granted' }));
      });
    });

    test('an operator cannot take more than there is, and nothing changes', async () => {
      await expect(grantCredits(orgId, -1_000_000)).rejects.toMatchObject({ code: 'validation_failed' });
      const { balance, entries } = (await boss.api.get(path)).expect(200).body;
      expect(entries[0].balance).toBe(balance);
    });

    test('the balance and the ledger of another organization are out of reach', async () => {
      const { api } = await owner();
      await grantCredits(orgId, 7);
      expect((await api.get(path)).expect(200).body).toMatchObject({ balance: 100, total: 1 });
    });

    test('createEmbedClient and updateEmbedClient: keep the bounds on credits, and answer 400 for one that is no whole number', async () => {
      const clients = '/account/embed-clients';
      const wanted = { name: 'Portal', allowed_origins: ['https://app.example.com'] };
      const made = (await boss.api.post(clients, { ...wanted, session_credits: 20 })).expect(201).body.embed_client;
      expect(made).toMatchObject({ session_credits: 20, daily_credits: null });
      const change = { session_credits: null, daily_credits: 300 };
      expect((await boss.api.patch(`${clients}/${made.id}`, change)).expect(200).body.embed_client).toMatchObject(change);
      (await boss.api.post(clients, { ...wanted, daily_credits: 0 })).expect(400, 'validation_failed');
    });
  });
});
