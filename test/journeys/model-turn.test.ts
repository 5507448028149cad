import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { providerKey, scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { makeProject } from '../contract/fixtures.ts';
import { chat, partsOf, sendChat, textOf } from '../harness/chat.ts';
import { owner, type Person } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';

let model: ModelServer;
let platform: TestPlatform;
let ada: Person;
beforeAll(async () => {
  model = await ModelServer.start();
  platform = await startPlatform({ env: { MODEL_PROVIDERS: scriptedProviders(model.url) } });
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
