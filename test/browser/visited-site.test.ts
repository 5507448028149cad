import { activeClient, makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { BrowserUser, openBrowser } from '../harness/browser.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { smallSite } from './small-site.ts';

jest.setTimeout(900_000);

/** Script for a page of a site: tries to read and write what belongs to the platform. */
const attackPlatform = `async (platform) => {
  const refused = (work) => Promise.resolve().then(work).then(String, () => 'refused');
  const frame = document.body.appendChild(document.createElement('iframe'));
  const framed = new Promise((resolve) => frame.addEventListener('load', resolve));
  frame.src = platform;
  await framed;
  for (const domain of ['localhost', new URL(platform).hostname]) document.cookie = 'planted=1; domain=' + domain;
  return {
    cookies: document.cookie,
    document: await refused(() => frame.contentWindow.document.body.innerHTML),
    answer: await refused(() => fetch(platform + '/api/v1/projects', { credentials: 'include' })),
    domain: await refused(() => { document.domain = 'localhost'; return frame.contentWindow.document.body.innerHTML }),
  };
}`;

let browser: Awaited<ReturnType<typeof openBrowser>>;
let ours: Agency;
beforeAll(async () => {
  browser = await openBrowser();
  ours = await agency(sharedPlatform(), { rateLimit: 100_000 });
});
afterAll(() => browser?.close());

async function publishedSite() {
  const client = await activeClient(ours.api);
  const { id } = await makeProject(ours.api, client, { name: 'Harbour Bakery' });
  const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: smallSite })).expect(200).body;
  return { id, url: String(url) };
}

/** Clicks the text and waits until the browser is at the URL. */
async function follow(page: BrowserUser['page'], text: string, url: string): Promise<void> {
  await page.click(`text=${text}`);
  await page.waitForURL(url);
}

const analyticsOf = async (id: string) => (await ours.api.get(`/analytics?project_id=${id}`)).expect(200).body.analytics;
const viewsOf = async (id: string): Promise<Record<string, number>> =>
  Object.fromEntries((await analyticsOf(id)).topPages.map(({ path, views }: { path: string; views: number }) => [path, views]));

test('a site runs its scripts and styles, and each navigation counts one view, including history.pushState', async () => {
  const { id, url } = await publishedSite();
  await using person = await BrowserUser.open(browser);
  const { page } = person;
  await page.goto(url);
  expect(await page.textContent('#mood')).toBe('sunny');
  expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe('rgb(1, 2, 3)');
  await follow(page, 'About', `${url}/about`);
  await follow(page, 'Our team', `${url}/about/team`);
  expect(await page.textContent('h1')).toBe('Our team');
  await page.goBack();
  await follow(page, 'Contact', `${url}/contact`);
  await page.goBack();
  const views = { '/': 1, '/about': 3, '/about/team': 1, '/contact': 1 };
  await ours.eventually(async () => expect(await viewsOf(id)).toEqual(views));
  // Views are counted in order, so a surplus view would show before this one.
  await follow(page, 'Home', `${url}/`);
  await ours.eventually(async () => expect(await viewsOf(id)).toEqual({ ...views, '/': 2 }));
  expect(await analyticsOf(id)).toMatchObject({ totalViews: 7, deviceBreakdown: [{ device: 'desktop', views: 7 }] });
  expect(person.problems).toEqual([]);
});

test('without JavaScript a form is submitted and the page view is counted', async () => {
  const { id, url } = await publishedSite();
  await using person = await BrowserUser.open(browser, { javaScriptEnabled: false });
  const { page } = person;
  await page.goto(`${url}/contact`);
  await page.fill('[name=name]', 'Ines Duarte');
  await page.fill('[name=email]', 'ines@cortado.example');
  await follow(page, 'Send', `${url}/_forms/contact/thanks`);
  expect(await page.textContent('h1')).toMatch(/thank/i);
  const { submissions } = (await ours.api.get(`/projects/${id}/forms/submissions`)).expect(200).body;
  expect(submissions).toMatchObject([
    { form: 'contact', page: '/contact', fields: { name: 'Ines Duarte', email: 'ines@cortado.example' }, spam: false },
  ]);
  await ours.eventually(async () => expect(await viewsOf(id)).toEqual({ '/contact': 1 }));
  expect(person.problems).toEqual([]);
});

test('a published page cannot read or set platform cookies, or read platform pages and API responses', async () => {
  const { url } = await publishedSite();
  const [origin = ''] = sharedPlatform().origins;
  await using person = await BrowserUser.open(browser);
  const { page, context } = person;
  await context.addCookies([{ name: 'session', value: 'secret', url: origin, sameSite: 'Lax' }]);
  await page.goto(url);
  const seen = await page.evaluate(`(${attackPlatform})(${JSON.stringify(origin)})`);
  expect(seen).toEqual({ cookies: '', document: 'refused', answer: 'refused', domain: 'refused' });
  expect((await context.cookies(origin)).map(({ name }) => name)).toEqual(['session']);
});
