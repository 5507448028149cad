import { makePlan, makeProject, makeTemplate, makeWebhook } from '../contract/fixtures.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
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

  /** Opens each page once; `look` looks at more of it. */
  async function findProblems(
    pages: Readonly<Record<string, string>>,
    tab: Tab,
    locale: string,
    look: (path: string) => Promise<unknown> = async () => undefined,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const path of Object.values(pages)) {
      await tab.goTo(path);
      await look(path);
      found.push(...(await accessibilityViolations(tab)));
      const overflow = await tab.page.evaluate('document.documentElement.scrollWidth - innerWidth');
      const shownIn = String(await tab.page.evaluate('document.documentElement.lang'));
      if (shownIn !== locale.slice(0, 2)) found.push(`${path} is in ${shownIn}`);
      if (Number(overflow) > 0) found.push(`${path} is ${overflow} px wider than the window`);
    }
    return [...found, ...tab.browserErrors];
  }

  /** The addresses of the docs in the menu, which a phone shows only when it is opened. */
  const docsIn = ({ page }: Tab): Promise<(string | null)[]> =>
    page.locator('.navigation a[href^="/docs"]').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const docsOf = () => ({
    '/': ['/docs'],
    [`/projects/${shown.projectId}`]: ['/docs/sites'],
    '/keys': ['/docs/authentication'],
    [`/webhooks/${shown.webhookId}`]: ['/docs/webhooks'],
    '/account': ['/docs'],
  });

  test.each(looks)(
    'no page of an owner has accessibility violations or browser errors, and its menu leads to what the docs say about it: %s, %s, %s',
    async (colorScheme, size, locale) => {
      await using tab = await Tab.open(browser(), origin, { colorScheme, locale, viewport: sizes[size] });
      await tab.signInAs(ada, origin);
      const docs = new Map<string, (string | null)[]>();
      const note = async (path: string) => docs.set(path, await docsIn(tab));
      expect(await findProblems(ownerPages(shown), tab, locale, note)).toEqual([]);
      if (size === 'desktop') expect(Object.fromEntries(docs)).toMatchObject(docsOf());
    },
  );

  test.each(looks)(
    'no page of a client has accessibility violations, browser errors, refused requests or a way to the docs: %s, %s, %s',
    async (colorScheme, size, locale) => {
      await using tab = await Tab.open(browser(), origin, { colorScheme, locale, viewport: sizes[size] });
      await tab.signInAs(rosa, origin);
      const refused: string[] = [];
      tab.page.on('response', (response) => void (response.status() >= 400 && refused.push(`${response.status()} ${response.url()}`)));
      const seen = async () => expect(await docsIn(tab)).toEqual([]);
      expect([...(await findProblems(clientPages(shown), tab, locale, seen)), ...refused]).toEqual([]);
    },
  );

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
    await using person = await BrowserUser.open(browser());
    const { page } = person;
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      sizes.push(request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize));
    });
    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(20 * 1024);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  });
});
