import type { Browser } from 'playwright-core';
import { makeProject, makeTemplate, makeWebhook } from '../contract/fixtures.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientsUser } from '../harness/team.ts';
import { barriers } from './barriers.ts';

import { clientsPages, ownersPages, type Shown, strangersPages } from './pages.ts';
import { Tab } from './tab.ts';

const origin = sharedPlatform().origins[0] ?? '';
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } };
const looks = [
  ['light', 'desktop'],
  ['dark', 'phone'],
] as const;

/** Colours are there at once. */
const stillness = { reducedMotion: 'reduce' } as const;

let browser: Browser;
let ada: Person;
/** A client's user, whose project is shown. */
let rosa: Person;
let shown: Shown;
beforeAll(async () => {
  browser = await openBrowser();
  ada = await owner();
  const { person, client } = await clientsUser(ada);
  rosa = person;
  const [project, webhook] = await Promise.all([makeProject(ada.api, client), makeWebhook(ada.api), makeTemplate(ada.api)]);
  shown = { clientId: client.id, projectId: project.id, webhookId: webhook.id };
});
afterAll(() => browser.close());

async function faultsOf(pages: Readonly<Record<string, string>>, tab: Tab): Promise<string[]> {
  const found: string[] = [];
  for (const path of Object.values(pages)) {
    await tab.goTo(path);
    found.push(...(await barriers(tab)));
    const overflow = await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    if (Number(overflow) > 0) found.push(`${path} is ${overflow} px wider than the window`);
  }
  return [...found, ...tab.complaints];
}

test.each(looks)('every page of an owner is without barriers and without a complaint of the browser: %s, %s', async (colorScheme, size) => {
  await using tab = await Tab.open(browser, origin, { colorScheme, viewport: sizes[size], ...stillness });
  await tab.actAs(ada, origin);
  expect(await faultsOf(ownersPages(shown), tab)).toEqual([]);
});

test.each(looks)("so is every page of a client's user, and nothing on it is refused to him: %s, %s", async (colorScheme, size) => {
  await using tab = await Tab.open(browser, origin, { colorScheme, viewport: sizes[size], ...stillness });
  await tab.actAs(rosa, origin);
  const refused: string[] = [];
  tab.page.on('response', (response) => void (response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`)));
  expect([...(await faultsOf(clientsPages(shown), tab)), ...refused]).toEqual([]);
});

test.each(looks)('so is every page of a stranger: %s, %s', async (colorScheme, size) => {
  await using tab = await Tab.open(browser, origin, { colorScheme, viewport: sizes[size], ...stillness });
  expect(await faultsOf(strangersPages, tab)).toEqual([]);
});
