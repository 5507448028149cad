import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildDocsSite } from '@webkiln/dev-platform';
import { activeClient, makeProject } from '../contract/fixtures.ts';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { agency, eventually } from '../harness/agency.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { mailedLink } from '../harness/mails.ts';
import { takeDown } from '../harness/operator.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';
import { looks, screenshotsIn } from './looks.ts';

/**
 * Script for a page: the lowest contrast ratio of a text to the surface behind it (WCAG 2.2 §1.4.3, with opacity), and
 * the horizontal overflow in pixels.
 */
const measureReadability = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const shown = (...layers) => {
    for (const [color, opacity] of layers) {
      canvas.globalAlpha = opacity;
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = [getComputedStyle(document.body).backgroundColor, 1];
  const ratios = [...document.querySelectorAll('h1, p, p *, button')].map((element) => {
    const around = [];
    for (let above = element; above !== null; above = above.parentElement) around.unshift(getComputedStyle(above));
    let opacity = 1;
    const surface = around.map((style) => [style.backgroundColor, (opacity *= style.opacity)]);
    const text = [around.at(-1).color, opacity];
    const [light, dark] = [luminance(shown(page, ...surface)), luminance(shown(page, ...surface, text))].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  });
  return { contrast: Math.min(...ratios), overflow: document.documentElement.scrollWidth - innerWidth };
})()`;

const browser = useBrowser();

jest.setTimeout(900_000);

const screenshot = screenshotsIn('plain-pages');
const origin = sharedPlatform().origins[0] ?? '';
const form = '<form method="post" action="/_forms/contact"><input name="name"><button>Send</button></form>';

let steps: Record<string, (person: BrowserUser) => Promise<unknown>>;

beforeAll(async () => {
  const { api } = await agency();
  const publish = async () => {
    const client = await activeClient(api);
    const { id } = await makeProject(api, client);
    const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': form } })).expect(200).body;
    return { client, id, url: String(url) };
  };
  const [live, paused, takenDown] = [await publish(), await publish(), await publish()];
  await takeDown(takenDown.url, 'it imitates a bank');
  /** The page behind the link in a mail that asks whether form mails are wanted, after these answers. */
  const consentPage = async (...answers: readonly string[]) => {
    const recipient = `desk-${crypto.randomUUID()}@example.com`;
    (await api.patch(`/projects/${(await publish()).id}/forms/settings`, { notification_email: recipient })).expect(200);
    const link = await mailedLink(sharedPlatform(), recipient, /http\S+\/form-mails\?token=[\w.-]+/);
    for (const answer of answers) await fetch(link, { method: 'POST', body: new URLSearchParams({ answer }) });
    return link;
  };
  const [asked, agreed, withdrawn] = [await consentPage(), await consentPage('agree'), await consentPage('agree', 'withdraw')];
  (await api.patch(`/clients/${paused.client.id}`, { status: 'suspended' })).expect(200);
  for (const [url, status] of [
    [paused.url, 503],
    [takenDown.url, 410],
  ] as const)
    await eventually(async () => expect((await visit(origin, url)).status).toBe(status));
  const { preview_url } = (await api.get(`/projects/${live.id}/preview`)).expect(200).body;
  const empty = (await api.get(`/projects/${(await makeProject(api)).id}/preview`)).expect(200).body;
  const send = async ({ page }: BrowserUser, url: string, name: string) => {
    await page.goto(url);
    await page.fill('[name=name]', name);
    await page.click('text=Send');
    await page.waitForURL(/\/_forms\//);
  };
  steps = {
    'page not found': ({ page }) => page.goto(`${live.url}/nothing`),
    'address not valid': ({ page }) => page.goto(`${live.url}/a%2fb`),
    'no site': ({ page }) => page.goto(live.url.replace('//', '//no-')),
    'site paused': ({ page }) => page.goto(paused.url),
    'site taken down': ({ page }) => page.goto(takenDown.url),
    'form mails asked': ({ page }) => page.goto(asked),
    'form mails agreed': ({ page }) => page.goto(agreed),
    'form mails withdrawn': ({ page }) => page.goto(withdrawn),
    'thank you': (person) => send(person, live.url, crypto.randomUUID()),
    'form empty': (person) => send(person, live.url, ''),
    'preview ended': ({ page }) => page.goto(preview_url.replace(/\/\/[^.]+/, `//${'a'.repeat(26)}`)),
    'preview empty': ({ page }) => page.goto(empty.preview_url),
    'form in a preview': (person) => send(person, preview_url, 'Ines'),
  };
});

const names = [
  'page not found',
  'address not valid',
  'no site',
  'site paused',
  'site taken down',
  'form mails asked',
  'form mails agreed',
  'form mails withdrawn',
  'thank you',
  'form empty',
  'preview ended',
  'preview empty',
  'form in a preview',
];

test.each(names)('the page "%s" fits phones and desktops, and has enough contrast in light and dark mode', async (name) => {
  for (const [look, options] of looks) {
    await using person = await BrowserUser.open(browser(), options);
    await steps[name]?.(person);
    await screenshot(person.page, `${name}-${look}`);
    expect((await person.page.textContent('h1'))?.length).toBeGreaterThan(5);
    const { contrast, overflow } = await person.page.evaluate<{ contrast: number; overflow: number }>(measureReadability);
    expect(contrast).toBeGreaterThanOrEqual(4.5);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(person.problems.filter((problem) => !/^\d{3} |status of \d{3}/.test(problem))).toEqual([]);
  }
});

describe('the docs site', () => {
  const pages = ['/docs', '/docs/webhooks', '/docs/agents', '/docs/reference', '/docs/reference/createClient'];
  const screens = looks.map(([, { viewport }]) => viewport);

  test('every link of every page leads to a page that is there, and to a heading of it', async () => {
    const folder = await buildDocsSite();
    const { files } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as { files: Record<string, { file: string }> };
    const built = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
    const texts = new Map(built.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
    const ids = new Map([...texts].map(([file, text]) => [file, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]));
    const isThere = (from: string, link: string) => {
      const [address = '', heading] = link.split('#');
      const file = address === '' ? from : files[address]?.file;
      return file !== undefined && (heading === undefined || ids.get(file)?.has(decodeURIComponent(heading)));
    };
    const broken = [...texts].flatMap(([file, text]) =>
      [...new Set([...text.matchAll(/ (?:href|src)="((?:\/docs|#)[^"]*)"/g)].map(([, link]) => link ?? ''))]
        .filter((link) => !isThere(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
    const menu = readFileSync(path.resolve(import.meta.dirname, '../../dashboard/src/shell/navigation.ts'), 'utf8');
    const named = [...menu.matchAll(/docs: '([^']+)'/g)].map(([, page]) => `/docs/${page}`);
    expect(named.filter((address) => !isThere('', address))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
    expect(texts.size).toBeGreaterThan(200);
  });

  test.each(pages)(
    '%s is accessible and fits, wide and on a phone, light and dark, and asks no other host for anything',
    async (address) => {
      await using person = await BrowserUser.open(browser());
      const hosts = new Set<string>();
      person.page.on('request', (request) => hosts.add(new URL(request.url()).origin));
      await person.page.goto(`${origin}${address}`, { waitUntil: 'networkidle' });
      for (const viewport of screens) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await person.page.setViewportSize(viewport);
          await person.page.emulateMedia({ colorScheme });
          await screenshot(person.page, `${address.slice(1).replaceAll('/', '-')}-${viewport.width}-${colorScheme}`);
          expect(await accessibilityViolations(person)).toEqual([]);
          const { overflow } = await person.page.evaluate<{ overflow: number }>(measureReadability);
          expect(overflow).toBeLessThanOrEqual(0);
        }
      }
      expect([...hosts]).toEqual([origin]);
      expect(person.problems).toEqual([]);
    },
  );

  test('the search finds a page by a word in it, and the reference shows a request in the language that was chosen', async () => {
    await using person = await BrowserUser.open(browser());
    const { page } = person;
    await page.goto(`${origin}/docs`);
    await page.click('[data-open-modal]');
    await page.fill('.pagefind-ui__search-input', 'Idempotent-Replayed');
    await page.click('.pagefind-ui__result-link[href*="/docs/idempotency"]');
    await page.waitForURL('**/docs/idempotency*');
    await page.goto(`${origin}/docs/reference/createClient`);
    const shown = () => page.locator('[role=tabpanel]:visible').allInnerTexts();
    expect(await shown()).toEqual([expect.stringContaining('curl -X POST')]);
    await page.getByRole('tab', { name: 'Python' }).click();
    expect(await shown()).toEqual([expect.stringContaining('httpx.post')]);
    await page.goto(`${origin}/docs/reference/listClients`);
    expect(await shown()).toEqual([expect.stringContaining('httpx.get')]);
    await page.goto(`${origin}/docs/agents`);
    expect(await page.getByRole('link', { name: 'Add to Cursor' }).getAttribute('href')).toBe(`${origin}/docs/install/cursor`);
    expect(person.problems).toEqual([]);
  });
});
