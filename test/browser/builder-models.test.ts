import type { Browser } from 'playwright-core';
import { ModelServer } from '../../services/embed/src/testing/model-server.ts';
import { scriptedProviders } from '../../services/embed/src/testing/turn-of.ts';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { noTransitions, Tab } from '../dashboard/testing/tab.ts';
import { openBrowser } from '../harness/browser.ts';
import { sendChat } from '../harness/chat.ts';
import { embedPair, type OpenedSession, openEmbedSession } from '../harness/embed-session.ts';
import { owner } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';

const desktop = { width: 1280, height: 800 };
const home = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
const writes = { calls: [{ name: 'write_file', input: { path: 'index.html', content: home } }] };
const builds = [writes, { text: 'Your bakery has a page.' }];
/** A PNG of one pixel. */
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');

let model: ModelServer;
let platform: TestPlatform;
let browser: Browser;
let session: OpenedSession;
beforeAll(async () => {
  model = await ModelServer.start();
  const env = { MODEL_PROVIDERS: scriptedProviders(model.url), SIGN_UP_CREDITS: '10' };
  [platform, browser] = await Promise.all([startPlatform({ env }), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await platform[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** The builder of a new organization's user, open. */
async function builder(): Promise<Tab> {
  const ada = await owner({ platform: platform.facts });
  session = await openEmbedSession(await embedPair(ada), {}, {}, platform.facts);
  const tab = await Tab.open(browser, platform.facts.origins[0] ?? '', { viewport: desktop, ...noTransitions });
  await tab.page.goto(session.builder_url);
  await tab.page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
  return tab;
}

async function say({ page }: Tab, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

test('a message goes to the chosen model with its picture, and the builder shows the credits that are left', async () => {
  await using tab = await builder();
  const { page } = tab;
  await page.getByText('10 credits left').waitFor();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Add a picture' }).click()]);
  await chooser.setFiles({ name: 'shop.png', mimeType: 'image/png', buffer: pixel });
  await page.getByRole('button', { name: 'Remove shop.png' }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
  model.play(builds);
  await say(tab, 'A page for my bakery, as in the picture.');
  await page.getByText('Your bakery has a page.').waitFor();
  await page.getByText('7 credits left').waitFor();
  expect(model.requests[0]?.text).toContain(`data:image/png;base64,${pixel.toString('base64')}`);

  await page.getByRole('button', { name: /^Chat/ }).last().click();
  await page.getByRole('option', { name: 'Messages' }).click();
  model.play(builds);
  await say(tab, 'Again.');
  await page.getByText('4 credits left').waitFor();
  expect(model.requests[0]?.path).toBe('/v1/messages');
  expect(tab.browserErrors).toEqual([]);
});

test('a reload in mid-turn goes on where it was; without credit the builder says so, and the message is still there', async () => {
  await using tab = await builder();
  const { page } = tab;
  model.play([writes, { text: 'I begin', fails: 'hang' }]);
  await say(tab, 'A page for my bakery.');
  await model.untilRequested(2);
  await page.goto(`${page.url()}?again#token=${session.token}`);
  await page.getByText('A page for my bakery.').waitFor();
  await page.getByText('I begin').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('And another.');
  await session.api.post(`/projects/${session.project.id}/chat/stop`);
  await page.getByText('Stopped', { exact: true }).waitFor();

  do model.play(builds);
  while ((await sendChat(session, 'And another.').then(async (answer) => [answer.status, await answer.text()]))[0] === 200);
  await say(tab, 'One too many.');
  await page.getByRole('alert').getByText('There is not enough credit left').waitFor();
  await page.getByRole('tab', { name: 'Publish' }).click();
  await page.getByLabel('A domain of your own').fill('www.bakery.example');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('Add these records where you registered the domain:').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('One too many.');
  expect(await accessibilityViolations(tab)).toEqual([]);
});
