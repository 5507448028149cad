import { makePlan, makeProject, makeTemplate, makeWebhook } from '../contract/fixtures.ts';
import { useBrowser } from '../harness/browser.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { accessibilityViolations } from './testing/accessibility-violations.ts';
import { clientPages, ownerPages, type ShownRecords, signedOutPages } from './testing/pages.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('every page', () => {
  const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } };
  const looks = [
    ['light', 'desktop', 'en-US'],
    // German has the longest words.
    ['dark', 'phone', 'de-DE'],
  ] as const;

  let ada: Person;
  /** A client, the owner of the project on the pages. */
  let rosa: Person;
  let shown: ShownRecords;
  beforeAll(async () => {
    ada = await owner();
    const { person, client } = await clientUser(ada);
    rosa = person;
    const [project, webhook] = await Promise.all([makeProject(ada.api, client), makeWebhook(ada.api), makeTemplate(ada.api)]);
    const { id: plan_id } = await makePlan(ada.api);
    (await ada.api.patch(`/clients/${client.id}`, { plan_id })).expect(200);
    const { orders } = (await ada.api.get('/orders')).expect(200).body;
    (await ada.api.patch(`/orders/${orders[0].id}`, { status: 'failed' })).expect(200);
    shown = { clientId: client.id, projectId: project.id, webhookId: webhook.id };
  });

  async function findProblems(pages: Readonly<Record<string, string>>, tab: Tab, locale: string): Promise<string[]> {
    const found: string[] = [];
    for (const path of Object.values(pages)) {
      await tab.goTo(path);
      found.push(...(await accessibilityViolations(tab)));
      const overflow = await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      const shownIn = String(await tab.page.evaluate('document.documentElement.lang'));
      if (shownIn !== locale.slice(0, 2)) found.push(`${path} is in ${shownIn}`);
      if (Number(overflow) > 0) found.push(`${path} is ${overflow} px wider than the window`);
    }
    return [...found, ...tab.browserErrors];
  }

  test.each(looks)('no page of an owner has accessibility violations or browser errors: %s, %s, %s', async (colorScheme, size, locale) => {
    await using tab = await Tab.open(browser(), origin, { colorScheme, locale, viewport: sizes[size] });
    await tab.signInAs(ada, origin);
    expect(await findProblems(ownerPages(shown), tab, locale)).toEqual([]);
  });

  test.each(looks)(
    'no page of a client has accessibility violations, browser errors or refused requests: %s, %s, %s',
    async (colorScheme, size, locale) => {
      await using tab = await Tab.open(browser(), origin, { colorScheme, locale, viewport: sizes[size] });
      await tab.signInAs(rosa, origin);
      const refused: string[] = [];
      tab.page.on('response', (response) => void (response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`)));
      expect([...(await findProblems(clientPages(shown), tab, locale)), ...refused]).toEqual([]);
    },
  );

  test('the menu of a member leads to what the docs say about the page; a client, who knows its agency alone, is led to none', async () => {
    await using tab = await Tab.open(browser(), origin, { viewport: sizes.desktop });
    const docs = tab.page.locator('.navigation a[href^="/docs"]');
    await tab.signInAs(ada, origin);
    const addresses: (string | null)[] = [];
    for (const path of ['/', `/projects/${shown.projectId}`, '/keys', `/webhooks/${shown.webhookId}`, '/account']) {
      await tab.goTo(path);
      addresses.push(await docs.getAttribute('href'));
    }
    expect(addresses).toEqual(['/docs', '/docs/sites', '/docs/authentication', '/docs/webhooks', '/docs']);
    await tab.signInAs(rosa, origin);
    await tab.goTo('/');
    expect(await docs.count()).toBe(0);
  });

  test('what a page asks first is asked before its code is there, and not again by it', async () => {
    const project = `/projects/${shown.projectId}`;
    const parts = [project, `${project}/files`];
    const opened = [
      { person: ada, path: '/', asked: [] },
      { person: rosa, path: '/', asked: ['/projects?limit=12'] },
      { person: ada, path: project, asked: [...parts, `${project}/draft`] },
      { person: rosa, path: `/builder/${shown.projectId}`, asked: [...parts, `${project}/chat/messages`, `${project}/preview`] },
    ];
    for (const { person, path, asked } of opened) {
      await using tab = await Tab.open(browser(), origin, { viewport: sizes.phone });
      await tab.signInAs(person, origin);
      const addresses = ['/account/session', ...asked].map((each) => `${origin}/api/v1${each}`);
      const requests: string[] = [];
      tab.page.on('request', (request) => void requests.push(request.url()));
      const early = Promise.all(addresses.map((address) => tab.page.waitForRequest(address)));
      await tab.page.route(/\/assets\/(?:index|builder)-[^/]+\.js$/, (route) =>
        early.finally(() => route.continue()).catch(() => undefined),
      );
      await Promise.all([early, tab.goTo(path)]);
      expect(addresses.map((address) => requests.filter((each) => each === address).length)).toEqual(addresses.map(() => 1));
    }
  });

  test.each(looks)('no signed-out page has accessibility violations or browser errors: %s, %s, %s', async (colorScheme, size, locale) => {
    await using tab = await Tab.open(browser(), origin, { colorScheme, locale, viewport: sizes[size] });
    expect(await findProblems(signedOutPages, tab, locale)).toEqual([]);
  });
});

describe('the first load', () => {
  const maxBytes = 200 * 1024;

  test('the sign-in page loads with at most 200 KB, headers included', async () => {
    await using tab = await Tab.open(browser(), sharedPlatform().origins[0] ?? '');
    const sizes: Promise<number>[] = [];
    tab.page.on('requestfinished', (request) => {
      sizes.push(request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize));
    });
    await tab.goTo('/');
    await tab.page.getByRole('button', { name: 'Sign in' }).waitFor();
    await tab.page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(20 * 1024);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  });
});
