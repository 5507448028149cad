import { randomUUID } from 'node:crypto';
import { ChatMessage } from '@webkiln/contract';
import { agency } from '../harness/agency.ts';
import { chat, partsOf, sendChat, textOf } from '../harness/chat.ts';
import { type EmbedPair, embedPair, type OpenedSession, openEmbedSession } from '../harness/embed-session.ts';
import { owner, type Person } from '../harness/person.ts';

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
    { type: 'data-usage', data: { credits: 0, balance: 100 } },
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

test('listChatMessages: answers 200 with both sides of each turn, oldest first', async () => {
  const session = await openEmbedSession(pair);
  expect(await messages(session)).toEqual({ messages: [], total: 0, balance: 100 });
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

test("sendChatMessage: a client's messages of a day end with its plan, in 429 until 00:00 UTC; those of others go on", async () => {
  const plan = { name: `Small ${randomUUID()}`, price: 0, max_ai_messages_daily: 1 };
  const { id: plan_id } = (await ada.api.post('/plans', plan)).expect(201).body.plan;
  const email = `${randomUUID()}@example.com`;
  const { client } = (await ada.api.post('/clients', { email, plan_id })).expect(201).body;
  const session = await openEmbedSession(pair, { email });
  expect(session.project.org_client_id).toBe(client.id);
  await chat(session, prompt);
  const refused = await sendChat(session, 'make the header green');
  expect(await code(refused)).toEqual([429, 'daily_messages_reached']);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
  await chat(await openEmbedSession(pair), prompt);
});

test('members build the projects of their clients', async () => {
  const session = await openEmbedSession(pair);
  await chat({ api: ada.api, project: session.project }, prompt);
  expect(await page(session)).toContain('Lyon');
});
