import { activeClient, makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { openBrowser, Person } from '../harness/browser.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

jest.setTimeout(900_000);

const frame = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>${title}</title>
<link rel="icon" href="/mark.svg"><link rel="stylesheet" href="/style.css"><script defer src="/app.js"></script>
</head>
<body><nav><a href="/">Home</a> <a href="/about">About</a> <a href="/contact">Contact</a></nav><main><h1>${title}</h1>${body}</main></body>
</html>`;

const site = {
  'index.html': frame('Home', '<p id="mood">rainy</p>'),
  'about.html': frame('About', '<button id="team">Our team</button>'),
  'contact.html': frame(
    'Contact',
    `<form method="post" action="/_forms/contact">
      <label>Name <input name="name" required></label><label>Email <input name="email" type="email" required></label>
      <div hidden><input name="_gotcha"></div><button>Send</button>
    </form>`,
  ),
  'style.css': 'h1 { color: rgb(1, 2, 3) }',
  'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>',
  'app.js': `document.querySelector('#mood')?.replaceChildren('sunny');
    document.querySelector('#team')?.addEventListener('click', () => {
      history.pushState({}, '', '/about/team');
      document.querySelector('h1').textContent = 'Our team';
    });`,
};

/** Run in a page of a site, it tries to get at the platform. */
const curious = `async (platform) => {
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
  const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: site })).expect(200).body;
  return { id, url: String(url) };
}

const analyticsOf = async (id: string) => (await ours.api.get(`/analytics?project_id=${id}`)).expect(200).body.analytics;
const viewsOf = async (id: string): Promise<Record<string, number>> =>
  Object.fromEntries((await analyticsOf(id)).topPages.map(({ path, views }: { path: string; views: number }) => [path, views]));

test('a site works as it was built, and each navigation is one view, those that a page does by itself too', async () => {
  const { id, url } = await publishedSite();
  await using person = await Person.arrives(browser);
  const { page } = person;
  await page.goto(url);
  expect(await page.textContent('#mood')).toBe('sunny');
  expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe('rgb(1, 2, 3)');
  await page.click('text=About');
  await page.click('text=Our team');
  expect([await page.textContent('h1'), new URL(page.url()).pathname]).toEqual(['Our team', '/about/team']);
  await page.goBack();
  await page.click('text=Contact');
  await page.goBack();
  const views = { '/': 1, '/about': 3, '/about/team': 1, '/contact': 1 };
  await ours.eventually(async () => expect(await viewsOf(id)).toEqual(views));
  // A view more than there should be would be counted before this one.
  await page.click('text=Home');
  await ours.eventually(async () => expect(await viewsOf(id)).toEqual({ ...views, '/': 2 }));
  expect(await analyticsOf(id)).toMatchObject({ totalViews: 7, deviceBreakdown: [{ device: 'desktop', views: 7 }] });
  expect(person.complaints).toEqual([]);
});

test('a form is sent, and its page counted, without JavaScript', async () => {
  const { id, url } = await publishedSite();
  await using person = await Person.arrives(browser, { javaScriptEnabled: false });
  const { page } = person;
  await page.goto(`${url}/contact`);
  await page.fill('[name=name]', 'Ines Duarte');
  await page.fill('[name=email]', 'ines@cortado.example');
  await page.click('text=Send');
  expect(new URL(page.url()).pathname).toBe('/_forms/contact/thanks');
  expect(await page.textContent('h1')).toMatch(/thank/i);
  const { submissions } = (await ours.api.get(`/projects/${id}/forms/submissions`)).expect(200).body;
  expect(submissions).toMatchObject([
    { form: 'contact', page: '/contact', fields: { name: 'Ines Duarte', email: 'ines@cortado.example' }, spam: false },
  ]);
  await ours.eventually(async () => expect(await viewsOf(id)).toEqual({ '/contact': 1 }));
  expect(person.complaints).toEqual([]);
});

test('a published page is no part of the platform: it reads neither its cookies nor its pages, nor what it answers', async () => {
  const { url } = await publishedSite();
  const [origin = ''] = sharedPlatform().origins;
  await using person = await Person.arrives(browser);
  const { page, context } = person;
  await context.addCookies([{ name: 'session', value: 'secret', url: origin, sameSite: 'Lax' }]);
  await page.goto(url);
  const seen = await page.evaluate(`(${curious})(${JSON.stringify(origin)})`);
  expect(seen).toEqual({ cookies: '', document: 'refused', answer: 'refused', domain: 'refused' });
  expect((await context.cookies(origin)).map(({ name }) => name)).toEqual(['session']);
});
