import { MongoClient } from 'mongodb';
import type { Browser } from 'playwright-core';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { noTransitions, Tab } from '../dashboard/testing/tab.ts';
import { openBrowser } from '../harness/browser.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { agencyPage } from './agency-page.ts';

const origin = sharedPlatform().origins[0] ?? '';
const desktop = { width: 1280, height: 800 };

let browser: Browser;
let ada: Person;
beforeAll(async () => {
  browser = await openBrowser();
  ada = await owner();
});
afterAll(() => browser.close());

test("an agency's user builds a bakery's site in a frame of the agency's page, publishes, edits, undoes and publishes again", async () => {
  await using agency = await agencyPage();
  const session = await openEmbedSession(await embedPair(ada, [agency.origin]));
  agency.show(session.builder_url);
  await using tab = await Tab.open(browser, agency.origin, { viewport: desktop, ...noTransitions });
  const { page } = tab;
  await page.goto('/');
  const builder = page.frameLocator('iframe');
  const site = builder.frameLocator('iframe');
  await builder.getByRole('heading', { name: 'What shall we build?' }).waitFor();
  expect(page.frames()[1]?.url()).not.toContain('embt_');

  const say = async (text: string) => {
    await builder.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };
  const publish = async () => {
    await builder.getByRole('tab', { name: 'Publish' }).click();
    await builder.getByRole('button', { name: /^Publish (now|changes)$/ }).click();
    await builder.getByRole('heading', { name: 'Your site is live' }).waitFor();
    await builder.getByRole('tab', { name: 'Preview' }).click();
  };
  await say('build a bakery site in Lyon called Chez Marie');
  await builder.getByRole('button', { name: 'See changes' }).waitFor();
  await site.getByText('Chez Marie').first().waitFor();
  await publish();

  await say('change the name to Boulangerie Odile');
  await builder.getByRole('button', { name: 'Undo' }).waitFor();
  await site.getByText('Boulangerie Odile').first().waitFor();
  await builder.getByRole('button', { name: 'Undo' }).click();
  await site.getByText('Chez Marie').first().waitFor();
  await publish();

  const heard = (await page.evaluate('heard')) as { origin: string; source: string; type: string; url?: string }[];
  expect(heard.every((message) => message.origin === origin && message.source === 'webkiln')).toBe(true);
  expect(heard.map(({ type }) => type)).toEqual(['ready', 'message', 'published', 'message', 'published']);
  await page.goto(heard.at(-1)?.url ?? '');
  await page.getByText('Chez Marie').first().waitFor();
  expect(tab.browserErrors).toEqual([]);
});

test('a session that was revoked shows that it has ended, at once for what is done next and after a reload', async () => {
  const { token, builder_url, project } = await openEmbedSession(await embedPair(ada));
  await using tab = await Tab.open(browser, origin, { viewport: desktop });
  await tab.page.goto(builder_url);
  await tab.page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
  const { embed_sessions } = (await ada.api.get('/account/embed-sessions')).expect(200).body;
  const { id } = embed_sessions.find(({ project_id }: { project_id: string }) => project_id === project.id);
  (await ada.api.delete(`/account/embed-sessions/${id}`)).expect(200);
  await tab.page.getByLabel('Message').fill('build a bakery site');
  await tab.page.getByRole('button', { name: 'Send' }).click();
  await tab.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
  await tab.page.goto(`${origin}/builder/${project.id}?again#token=${token}`);
  await tab.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
});

test('a session whose time is over shows that it has ended', async () => {
  const { builder_url, project } = await openEmbedSession(await embedPair(ada));
  await using store = await MongoClient.connect(sharedPlatform().urls.MONGODB_URL);
  const sessions = store.db('webkiln_embed').collection('embed_sessions');
  await sessions.updateOne({ project_id: project.id }, { $set: { expires_at: new Date(Date.now() - 1_000) } });
  await using tab = await Tab.open(browser, origin, { viewport: desktop });
  await tab.page.goto(builder_url);
  await tab.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
  expect(await accessibilityViolations(tab)).toEqual([]);
});

test.each([
  ['light', desktop],
  ['dark', { width: 390, height: 780 }],
] as const)('a member has a builder without accessibility violations or overflow: %s', async (colorScheme, viewport) => {
  const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
  await using tab = await Tab.open(browser, origin, { colorScheme, viewport, ...noTransitions });
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await page.goto(`/builder/${project.id}`);
  const problems: string[] = [];
  const look = async () => {
    problems.push(...(await accessibilityViolations(tab)));
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (overflow > 0) problems.push(`${overflow} px wider than the window`);
  };
  await page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
  await look();
  await page.getByRole('button', { name: /bakery/ }).click();
  await page.getByRole('button', { name: 'See changes' }).click();
  await page.getByRole('region', { name: /^Content of/ }).waitFor();
  await look();
  for (const tabName of ['History', 'Publish']) {
    await page.getByRole('tab', { name: tabName }).click();
    await page.getByRole('tabpanel', { name: tabName }).waitFor();
    await look();
  }
  expect([...problems, ...tab.browserErrors]).toEqual([]);
});
