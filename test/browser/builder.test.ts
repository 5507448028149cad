import type { Picture } from '@webkiln/contract';
import { MongoClient } from 'mongodb';
import sharp from 'sharp';
import { makeProject } from '../contract/fixtures.ts';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { Tab } from '../dashboard/testing/tab.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { chat, sendChat } from '../harness/chat.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { owner, type Person } from '../harness/person.ts';
import { choosePicture, phonePhoto, png } from '../harness/pictures.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';
import { agencyPage } from './agency-page.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('the builder', () => {
  const desktop = { width: 1280, height: 800 };

  let ada: Person;
  beforeAll(async () => {
    ada = await owner();
  });

  test('the page tries nothing that its Content-Security-Policy forbids, such as eval', async () => {
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    const { page } = tab;
    await page.addInitScript(
      "globalThis.broken = []; addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => broken.push(violatedDirective + blockedURI))",
    );
    await tab.signInAs(ada, origin);
    const { id } = await makeProject(ada.api);
    await page.goto(`/builder/${id}`);
    await page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
    expect(await page.evaluate('broken')).toEqual([]);
  });

  test("an agency's user builds a bakery's site in a frame of the agency's page, publishes, edits, undoes and publishes again", async () => {
    await using agency = await agencyPage();
    const session = await openEmbedSession(await embedPair(ada, [agency.origin]));
    agency.show(session.builder_url);
    await using tab = await Tab.open(browser(), agency.origin, { viewport: desktop });
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
      expect(await builder.getByRole('button', { name: 'Up to date' }).isDisabled()).toBe(true);
      await builder.getByRole('tab', { name: 'Preview' }).click();
    };
    await say('build a bakery site in Lyon called Chez Marie');
    await builder.getByRole('button', { name: 'See changes' }).waitFor();
    await site.getByText('Chez Marie').first().waitFor();
    await publish();

    await say('change the name to Boulangerie Odile');
    await builder.getByRole('button', { name: 'Undo' }).waitFor();
    await site.getByText('Boulangerie Odile').first().waitFor();
    await publish();
    await builder.getByRole('button', { name: 'Undo' }).click();
    await site.getByText('Chez Marie').first().waitFor();
    await publish();

    const heard = (await page.evaluate('heard')) as { origin: string; source: string; type: string; url?: string }[];
    expect(heard.every((message) => message.origin === origin && message.source === 'webkiln')).toBe(true);
    expect(heard.map(({ type }) => type)).toEqual(['ready', 'message', 'published', 'message', 'published', 'published']);
    await page.goto(heard.at(-1)?.url ?? '');
    await page.getByText('Chez Marie').first().waitFor();
    expect(tab.browserErrors).toEqual([]);
  });

  test('a photo of a phone becomes the hero: attached, previewed and published on a phone, without its metadata', async () => {
    const session = await openEmbedSession(await embedPair(ada));
    await using tab = await Tab.open(browser(), origin, { viewport: { width: 390, height: 780 } });
    const { page } = tab;
    await page.goto(session.builder_url);
    await choosePicture(page, 'Terrace.jpg', await phonePhoto());
    await page.getByLabel('What Terrace.jpg shows').fill('Our terrace');
    expect(await accessibilityViolations(tab)).toEqual([]);
    await page.getByRole('textbox', { name: 'Message' }).fill('A café site in Lyon, use this photo in the hero');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: /^See changes/ }).waitFor();
    await page.getByRole('radio', { name: 'Site' }).click();
    await page.frameLocator('iframe').getByRole('img', { name: 'Our terrace' }).waitFor();
    await page.getByRole('tab', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page.getByRole('link', { name: 'Open' }).waitFor();

    const { project } = (await session.api.get(`/projects/${session.project.id}`)).expect(200).body;
    await page.goto(project.published_url);
    const hero = page.locator('.hero img');
    const names = ['src', 'srcset', 'sizes', 'alt', 'width', 'height', 'fetchpriority'];
    expect(await Promise.all(names.map((name) => hero.getAttribute(name)))).toEqual([
      '/pictures/terrace-960.webp',
      '/pictures/terrace-480.webp 480w, /pictures/terrace-960.webp 960w, /pictures/terrace-1512.webp 1512w',
      expect.stringContaining('100vw'),
      ...['Our terrace', '1512', '2016', 'high'],
    ]);
    const bytes = "fetch(document.querySelector('.hero img').currentSrc).then((file) => file.bytes()).then((file) => [...file])";
    const { format, width, exif, orientation } = await sharp(Buffer.from((await page.evaluate(bytes)) as number[])).metadata();
    expect({ format, width, exif, orientation }).toEqual({ format: 'webp', width: 480, exif: undefined, orientation: undefined });
    expect(tab.browserErrors).toEqual([]);
  });

  test('a drawing is clicked and replaced by a picture, which is then in the library, used, described and not to be deleted', async () => {
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    await chat({ api: ada.api, project }, 'a bakery site in Lyon called Rye');
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await page.goto(`/builder/${project.id}`);
    const site = page.frameLocator('iframe');
    await site.locator('.hero img').waitFor();
    await page.getByRole('button', { name: 'Point at something to talk about it' }).click();
    await site.locator('html[style*=crosshair]').waitFor();
    await site.locator('.hero img').click();
    const dialog = page.getByRole('dialog', { name: 'Replace this picture' });
    await dialog.waitFor();
    await choosePicture(page, 'notes.txt', Buffer.from('no picture'), dialog);
    await dialog.getByRole('alert').getByText('no picture that can be read').waitFor();
    await choosePicture(page, 'oven.png', png('#1a2b3c', 800), dialog);
    await site.locator('.hero img[src="/pictures/oven-800.webp"]').waitFor();

    await page.getByRole('button', { name: 'Open the picture library' }).click();
    const library = page.getByRole('dialog', { name: 'Pictures' });
    await library.getByText('Used in index.html, 404.html and 6 more').waitFor();
    await library.getByLabel('What does it show?').fill('The oven');
    await library.getByLabel('What does it show?').blur();
    await choosePicture(page, 'spare.png', png('#3c2b1a', 8), library);
    await library.getByRole('button', { name: 'Delete spare' }).click();
    await library.getByRole('button', { name: 'Use spare' }).waitFor({ state: 'detached' });
    expect(await library.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    expect(await accessibilityViolations(tab)).toEqual([]);
    await eventually(async () => {
      const { pictures } = (await ada.api.get(`/projects/${project.id}/pictures`)).expect(200).body;
      expect(pictures.map(({ name, alt }: Picture) => [name, alt])).toEqual([['oven', 'The oven']]);
    });
    await library.getByRole('button', { name: 'Use oven' }).click();
    await page.getByRole('button', { name: 'Remove oven from the message' }).click();
    expect(tab.browserErrors).toEqual([]);
  });

  test.each([
    ['by clicking, in a wide window', desktop, 'click'],
    ['by keyboard, at 390 px', { width: 390, height: 780 }, 'keyboard'],
  ] as const)(
    "an agency's user types over a heading in the frame, %s: it is published, stays through a chat wish, and undo brings the old one",
    async (_, viewport, way) => {
      await using agency = await agencyPage();
      const session = await openEmbedSession(await embedPair(ada, [agency.origin]));
      await sendChat(session, 'build a bakery site in Lyon called Chez Marie').then((answer) => answer.text());
      const { preview_url } = (await session.api.get(`/projects/${session.project.id}/preview`)).expect(200).body;
      agency.show(session.builder_url);
      await using tab = await Tab.open(browser(), agency.origin, { viewport });
      const { page } = tab;
      await page.goto('/');
      const builder = page.frameLocator('iframe');
      const site = builder.frameLocator('iframe');
      if (way === 'keyboard') await builder.getByRole('radio', { name: 'Site' }).click();
      const heading = site.getByRole('heading', { level: 1 });
      const old = (await heading.textContent()) ?? '';
      await builder.getByRole('button', { name: 'Type over the texts' }).click();
      await site.locator('h1[tabindex]').waitFor();

      const begin = async () => {
        if (way === 'click') return heading.click();
        await heading.focus();
        await page.keyboard.press('Enter');
      };
      const type = async (text: string, last: string) => {
        await begin();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(text);
        await page.keyboard.press(last);
      };
      await type('Never kept', 'Escape');
      expect(await heading.textContent()).toBe(old);
      await type('Bread <script>slowly</script>', 'Enter');
      await builder.getByText('Saved.').waitFor();
      const textOf = async (path: string) => (await session.api.raw(`/projects/${session.project.id}/files/${path}`)).text();
      const escaped = '<h1>Bread &lt;script&gt;slowly&lt;/script&gt;</h1>';
      expect(await textOf('index.html')).toContain(escaped);

      await builder.getByRole('button', { name: 'Undo' }).click();
      await site.getByRole('heading', { level: 1, name: old }).waitFor();
      expect(await textOf('index.html')).not.toContain(escaped);
      await site.locator('h1[tabindex]').waitFor();
      await type('Bread <script>slowly</script>', 'Enter');
      // The bar says "Saved." of the first one still.
      await eventually(async () => expect(await textOf('index.html')).toContain(escaped));
      await builder.getByRole('button', { name: 'Done' }).click();

      await sendChat(session, 'Make it dark and add a pricing section').then((answer) => answer.text());
      expect(await textOf('index.html')).toContain(escaped);
      const { url } = (await session.api.post(`/projects/${session.project.id}/publish`, {})).expect(200).body;
      const published = await visit(origin, url);
      expect(published.text).toContain(escaped);
      expect(published.text).not.toContain('_webkiln');
      expect((await visit(origin, preview_url)).text).not.toContain('_webkiln');
      const { history } = (await session.api.get(`/projects/${session.project.id}/history`)).expect(200).body;
      expect(history.find(({ origin: made }: { origin: string }) => made === 'edit').author.kind).toBe('embed_user');
      expect(tab.browserErrors).toEqual([]);
    },
  );

  test('a page cannot make an edit by itself, nor of another page: without a hand at it nothing is saved, and one that comes by itself ends the typing', async () => {
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    const forged = "parent.postMessage({ source: 'webkiln-preview', type: 'typed', at: [2, 0, 0], before: 'Hi', text: 'Forged' }, '*')";
    const page = (body: string) => `<!doctype html><html>\n<head><title>Hi</title></head>\n<body>${body}</body></html>`;
    const hostile = page(
      `<h1>Hi</h1><script>setInterval(() => { ${forged} }, 100); onhashchange = () => { location = '/other.html' }</script>`,
    );
    (await ada.api.put(`/projects/${project.id}/files`, { files: { 'index.html': hostile, 'other.html': page('<h1>Hi</h1>') } })).expect(
      200,
    );
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    await tab.signInAs(ada, origin);
    await tab.page.goto(`/builder/${project.id}`);
    const site = tab.page.frameLocator('iframe');
    const revisions = async () => (await ada.api.get(`/projects/${project.id}/revisions`)).expect(200).body.revisions;
    await tab.page.getByRole('button', { name: 'Type over the texts' }).press('Enter');
    await site.locator('h1[tabindex]').waitFor();
    // Whatever it had sent within the moments after the click is of its own page, and is text.
    expect(await tab.page.getByRole('combobox', { name: 'Page' }).inputValue()).toBe('index.html');
    // An edit that fails shows the page anew, which then knows nothing of this.
    const go = () => {
      (globalThis as unknown as { location: { hash: string } }).location.hash = 'go';
    };
    await eventually(async () => {
      await site.locator('h1').evaluate(go);
      expect(await tab.page.getByRole('combobox', { name: 'Page' }).count()).toBe(0);
    });
    const other = await ada.api.raw(`/projects/${project.id}/files/other.html`);
    expect(await other.text()).toBe(page('<h1>Hi</h1>'));
    expect((await revisions()).length).toBeLessThanOrEqual(2);
  });

  test('an answer is shown as its lists and bold words, never as markup; a suggestion begins the next message', async () => {
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    const { page } = tab;
    await tab.signInAs(ada, origin);
    await page.goto(`/builder/${project.id}`);
    const input = page.getByLabel('Message');
    await input.fill('build a bakery site in Lyon called <b>Rye</b>');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('article', { name: 'Builder' });
    await answer.getByText('<b>Rye</b>').waitFor();
    await answer
      .getByRole('listitem')
      .getByRole('button', { name: /^Opening hours:/ })
      .click();
    await eventually(async () => expect(await input.inputValue()).toBe('Opening hours: '));
    await input.pressSequentially('Mon-Fri 7-18');
    await page.keyboard.press('Enter');
    await answer.getByText('Mon–Fri 7:00–18:00').waitFor();
    await page.reload();
    await answer.getByRole('button', { name: /^Opening hours:/ }).waitFor();
    expect(tab.browserErrors).toEqual([]);
  });

  test('a message written while an answer comes is sent when that is done; one changed meanwhile is held back', async () => {
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    const { page } = tab;
    await tab.signInAs(ada, origin);
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/chat', (route) => gone.then(() => route.continue()), { times: 1 });
    await page.goto(`/builder/${project.id}`);
    const input = page.getByLabel('Message');
    await input.fill('build a bakery site in Lyon called Rye');
    await input.press('Enter');
    const waiting = page.getByText('Will be sent when this answer is done.');
    await input.fill('Add opening');
    await input.press('Enter');
    await waiting.waitFor();
    await input.pressSequentially(' hours');
    await waiting.waitFor({ state: 'detached' });
    await input.pressSequentially(': Mon-Fri 7-18');
    await input.press('Enter');
    await waiting.waitFor();
    go();
    await page.getByRole('article', { name: 'Builder' }).getByText('Mon–Fri 7:00–18:00').waitFor();
    await page.getByRole('article', { name: 'You' }).getByText('Add opening hours: Mon-Fri 7-18', { exact: true }).waitFor();
    expect(await input.inputValue()).toBe('');
  });

  test('a session that was revoked shows that it has ended, at once for what is done next and after a reload', async () => {
    const { api, token, builder_url, project } = await openEmbedSession(await embedPair(ada));
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    await tab.page.goto(builder_url);
    await tab.page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
    const { embed_sessions } = (await ada.api.get('/account/embed-sessions')).expect(200).body;
    const { id } = embed_sessions.find(({ project_id }: { project_id: string }) => project_id === project.id);
    (await ada.api.delete(`/account/embed-sessions/${id}`)).expect(200);
    await eventually(async () => (await api.get('/embed/session')).expect(401, 'invalid_embed_token'));
    await tab.page.getByLabel('Message').fill('build a bakery site');
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await tab.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    await tab.page.goto(`${origin}/builder/${project.id}?again#token=${token}`);
    await tab.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
  });

  test("a page of another organization that shows a project's builder in a frame cannot use what a person is signed in to", async () => {
    // The same site as the platform's, so the browser sends the session cookie from the frame.
    await using attacker = await agencyPage('localhost');
    const { client_id } = await embedPair(await owner(), [attacker.origin]);
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    attacker.show(`${origin}/builder/${project.id}?e=${client_id}`);
    await using tab = await Tab.open(browser(), attacker.origin, { viewport: desktop });
    await tab.signInAs(ada, origin);
    await tab.page.goto('/');
    await tab.page.frameLocator('iframe').getByRole('heading', { name: 'This session has ended' }).waitFor();
  });

  test('a session whose time is over shows that it has ended', async () => {
    const { builder_url, project } = await openEmbedSession(await embedPair(ada));
    await using store = await MongoClient.connect(sharedPlatform().urls.MONGODB_URL);
    const sessions = store.db('webkiln_embed').collection('embed_sessions');
    await sessions.updateOne({ project_id: project.id }, { $set: { expires_at: new Date(Date.now() - 1_000) } });
    await using tab = await Tab.open(browser(), origin, { viewport: desktop });
    await tab.page.goto(builder_url);
    await tab.page.getByRole('heading', { name: 'This session has ended' }).waitFor();
    expect(await accessibilityViolations(tab)).toEqual([]);
  });

  test.each([
    ['light', desktop],
    ['dark', { width: 390, height: 780 }],
  ] as const)('a member has a builder without accessibility violations or overflow: %s', async (colorScheme, viewport) => {
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    await using tab = await Tab.open(browser(), origin, { colorScheme, viewport });
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
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Type over the texts' }).click();
    await page.getByRole('combobox', { name: 'Page' }).waitFor();
    await look();
    for (const tabName of ['History', 'Publish']) {
      await page.getByRole('tab', { name: tabName }).click();
      await page.getByRole('tabpanel', { name: tabName }).waitFor();
      await look();
    }
    expect([...problems, ...tab.browserErrors]).toEqual([]);
  });
});

describe('its size', () => {
  const maxBytes = 250 * 1024;

  test('the builder loads with at most 250 KB, headers included', async () => {
    const ada = await owner();
    const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
    const origin = sharedPlatform().origins[0] ?? '';
    await using tab = await Tab.open(browser(), origin);
    await tab.signInAs(ada, origin);
    const sizes: Promise<number>[] = [];
    tab.page.on('requestfinished', (request) => {
      sizes.push(request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize));
    });
    await tab.page.goto(`/builder/${project.id}`);
    await tab.page.getByRole('heading', { name: 'What shall we build?' }).waitFor();
    await tab.page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(100 * 1024);
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  });
});
