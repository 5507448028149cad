import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { providerKey, scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { makePlan, makeProject } from '../contract/fixtures.ts';
import { chat, partsOf, sendChat, textOf } from '../harness/chat.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner, Person } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';

let model: ModelServer;
let platform: TestPlatform;
let ada: Person;
beforeAll(async () => {
  model = await ModelServer.start();
  platform = await startPlatform({ env: { MODEL_PROVIDERS: scriptedProviders(model.url), SIGN_UP_CREDITS: '10' } });
  ada = await owner({ platform: platform.facts });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const home = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
const builds = [{ calls: [{ name: 'write_file', input: { path: 'index.html', content: home } }] }, { text: 'Your bakery has a page.' }];
const session = async () => ({ api: ada.api, project: await makeProject(ada.api) });
const draft = async ({ project }: { project: { id: string } }) =>
  (await ada.api.get(`/projects/${project.id}/files`)).expect(200).body.files.map(({ path }: { path: string }) => path);

test('with a provider a model builds the site, and no key is in the stream', async () => {
  const chatting = await session();
  model.play(builds);
  const parts = await chat(chatting, 'Build a page for my bakery.');
  expect(textOf(parts)).toBe('Your bakery has a page.');
  expect(parts).toContainEqual(expect.objectContaining({ type: 'data-file', data: { path: 'index.html', action: 'written' } }));
  expect(parts.at(-1)).toMatchObject({ type: 'finish' });
  expect(JSON.stringify(parts)).not.toContain(providerKey);
  expect(await (await ada.api.raw(`/projects/${chatting.project.id}/files/index.html`)).text()).toBe(home);
});

test('what a turn writes is checked: the model reads which link is dead, and code from elsewhere is refused', async () => {
  const bob = await owner({ platform: platform.facts });
  const chatting = { api: bob.api, project: await makeProject(bob.api) };
  const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
  const script = home.replace('</body>', '<script src="https://cdn.example.com/x.js"></script></body>');
  const dead = home.replace('</body>', '<a href="/menu">Menu</a></body>');
  model.play([
    { calls: [write('script.html', script), write('index.html', dead)] },
    { text: 'Done.' },
    { calls: [write('index.html', home)] },
  ]);
  await chat(chatting, 'Build a page for my bakery.');
  expect(model.requests.map(({ text }) => [text.includes('https://cdn.example.com; keep'), text.includes('leads to no file')])).toEqual([
    [false, false],
    [true, false],
    [true, true],
    [true, true],
  ]);
  const { files } = (await bob.api.get(`/projects/${chatting.project.id}/files`)).expect(200).body;
  expect(files).toMatchObject([{ path: 'index.html' }]);
});

test('while a turn with large images runs, its organization publishes a large site', async () => {
  const bob = await owner({ platform: platform.facts });
  const chatting = { api: bob.api, project: await makeProject(bob.api) };
  model.play([{ text: 'I look at it.', fails: 'hang' }]);
  const attachments = [{ media_type: 'image/png', data: Buffer.alloc(1_500_000).toString('base64') }];
  const stream = await sendChat(chatting, 'Build it as in the picture.', {}, { attachments });
  await model.untilRequested(1);
  const site = { builtFiles: { 'index.html': home, 'a.txt': 'a'.repeat(2_000_000) } };
  (await bob.api.post(`/projects/${(await makeProject(bob.api)).id}/publish`, site)).expect(200);
  (await bob.api.post(`/projects/${chatting.project.id}/chat/stop`)).expect(200);
  expect((await partsOf(stream)).at(-1)).toMatchObject({ type: 'abort' });
});

test('a provider that breaks off ends the turn with a sentence, and no file changes', async () => {
  const chatting = await session();
  model.play([builds[0] ?? {}, { text: 'I', fails: 'error' }]);
  const parts = await chat(chatting, 'Build a page for my bakery.');
  expect(parts.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringContaining('broke off') });
  expect(await draft(chatting)).toEqual([]);
});

test('a message names one of the models that the organization allows', async () => {
  const chatting = await session();
  (await ada.api.patch('/account/models', { allowed_models: ['chat', 'messages'], default_model: 'chat' })).expect(200);
  model.play(builds);
  const response = await sendChat(chatting, 'Build it.', {}, { model: 'messages' });
  expect(textOf(await partsOf(response))).toBe('Your bakery has a page.');
  expect(model.requests.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/messages']);
  const refused = await sendChat(chatting, 'Build it.', {}, { model: 'plain' });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: expect.stringContaining('model: is not offered') }]);
});

test('a test of a model says what came of it, with no key in it, costs nothing, and can be done 20 times a day', async () => {
  const bob = await owner({ platform: platform.facts });
  const path = '/account/models/test';
  model.play(({ text }) =>
    text.includes('Thank you') ? { text: 'I have reported the word kiln to the tool, as you asked.' } : { calls: [report] },
  );
  const { model_test } = (await bob.api.post(path, { model: 'chat' })).expect(200).body;
  expect(model_test).toMatchObject({ model: 'chat', passed: true, findings: [{ code: 'works' }] });
  model.play([{ status: 401, body: { error: { message: providerKey } } }]);
  const refused = (await bob.api.post(path, { model: 'plain' })).expect(200).body.model_test;
  expect(refused).toMatchObject({ passed: false, findings: [{ code: 'key-refused' }] });
  expect(JSON.stringify(refused)).not.toContain(providerKey);
  for (let number = 2; number < 20; number++) (await bob.api.post(path, { model: 'plain' })).expect(200);
  (await bob.api.post(path, { model: 'plain' })).expect(429, 'model_tests_reached');
  expect((await ledger(bob)).balance).toBe(10);
});

const report = { name: 'report', input: { word: 'kiln' } };
const ledger = async ({ api }: Pick<Person, 'api'>) => (await api.get('/account/credits')).expect(200).body;
/** Each answer of the scripted model has 1,200 tokens, and `builds` has two. */
const costOfABuild = 3;

test('a turn reserves credits and is charged for its tokens, and its stream says what is left', async () => {
  const bob = await owner({ platform: platform.facts });
  model.play(builds);
  const parts = await chat({ api: bob.api, project: await makeProject(bob.api) }, 'Build it.');
  const left = 10 - costOfABuild;
  expect(parts).toContainEqual(expect.objectContaining({ type: 'data-usage', data: { credits: costOfABuild, balance: left } }));
  const { balance, reserved, entries } = await ledger(bob);
  expect([balance, reserved]).toEqual([left, 0]);
  expect(entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])).toEqual([
    ['settled', left],
    ['reserved', -10],
    ['granted', 10],
  ]);
});

test('a turn that the provider fails costs nothing, and one without credit is answered 402 and leaves nothing behind', async () => {
  const bob = await owner({ platform: platform.facts });
  const chatting = { api: bob.api, project: await makeProject(bob.api) };
  model.play([builds[0] ?? {}, { text: 'I', fails: 'error' }]);
  expect((await chat(chatting, 'Build it.')).at(-1)).toMatchObject({ type: 'error' });
  expect(await ledger(bob)).toMatchObject({ balance: 10, reserved: 0 });
  for (const left of [7, 4, 1]) {
    model.play(builds);
    await chat(chatting, 'Build it.');
    expect((await ledger(bob)).balance).toBe(left);
  }
  const refused = await sendChat(chatting, 'Build it.');
  expect([refused.status, await refused.json()]).toMatchObject([
    402,
    { code: 'no_credit', error: expect.stringContaining('1 credits are left') },
  ]);
  const { messages, balance } = (await bob.api.get(`/projects/${chatting.project.id}/chat/messages`)).expect(200).body;
  expect([messages.length, balance]).toEqual([8, 1]);
});

test('an embed session uses no more credits than its embed client allows, and others go on', async () => {
  const bob = await owner({ platform: platform.facts });
  const pair = await embedPair(bob, undefined, { session_credits: 4, daily_credits: 7 });
  const open = () => openEmbedSession(pair, { prompt: 'A bakery' }, {}, platform.facts);
  const first = await open();
  model.play(builds);
  await chat(first, 'Build it.');
  const refused = await sendChat(first, 'Build it.');
  expect([refused.status, await refused.json()]).toMatchObject([402, { error: expect.stringContaining('4 credits of this session') }]);
  model.play(builds);
  await chat(await open(), 'Build it.');
  const late = await sendChat(await open(), 'Build it.');
  expect([late.status, await late.json()]).toMatchObject([402, { error: expect.stringContaining('7 credits of this day') }]);
  model.play(builds);
  await chat({ api: bob.api, project: await makeProject(bob.api) }, 'Build it.');
  expect(await ledger(bob)).toMatchObject({ balance: 10 - 3 * costOfABuild, reserved: 0 });
});

test('clients who joined by a link use a tenth of the credits of a day together, and the agency itself goes on', async () => {
  const bob = await owner({ platform: platform.facts });
  const plan = await makePlan(bob.api);
  (await bob.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200);
  const link = (await bob.api.post('/account/build-links', { prompt: 'A bakery', allows_joining: true })).expect(201).body.build_link;
  const carl = new Person({ platform: platform.facts });
  (await carl.signUp({})).expect(200);
  await carl.confirmEmail();
  const { organization_id } = (await carl.api.post('/account/join', { build_link_id: link.id })).expect(200).body;
  (await carl.api.post('/account/session/organization', { organization_id })).expect(200);
  const { project } = (await carl.api.post('/account/build', { name: 'Bakery' })).expect(201).body;
  // A tenth of 10 credits is less than the 2 that a turn needs.
  const refused = await sendChat({ api: carl.api, project }, 'Build it.');
  expect([refused.status, await refused.json()]).toMatchObject([402, { error: expect.stringContaining('clients who joined by a link') }]);
  model.play(builds);
  expect((await chat({ api: bob.api, project }, 'Build it.')).at(-1)).toMatchObject({ type: 'finish' });
});
