import { activeClient, makeProject } from '../contract/fixtures.ts';
import { agency } from '../harness/agency.ts';
import { BrowserUser, openBrowser } from '../harness/browser.ts';
import { schemes, screens, screenshotFolder } from './looks.ts';

jest.setTimeout(900_000);

const screenshot = screenshotFolder('plain-pages');
const form = '<form method="post" action="/_forms/contact"><input name="name"><button>Send</button></form>';

/** Script for the page: its lowest contrast ratio (WCAG 2.2 §1.4.3, with opacity) and horizontal overflow in pixels. */
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
  const background = getComputedStyle(document.body).backgroundColor;
  const ratios = [...document.querySelectorAll('h1, p, p *, button')].map((element) => {
    let opacity = 1;
    for (let above = element; above !== null; above = above.parentElement) opacity *= getComputedStyle(above).opacity;
    const { color } = getComputedStyle(element);
    const [light, dark] = [luminance(shown([background, 1])), luminance(shown([background, 1], [color, opacity]))].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  });
  return { contrast: Math.min(...ratios), overflow: document.documentElement.scrollWidth - innerWidth };
})()`;

let browser: Awaited<ReturnType<typeof openBrowser>>;
let steps: Record<string, (person: BrowserUser) => Promise<unknown>>;

beforeAll(async () => {
  browser = await openBrowser();
  const { api } = await agency();
  const publish = async () => {
    const client = await activeClient(api);
    const { id } = await makeProject(api, client);
    const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': form } })).expect(200).body;
    return { client, id, url: String(url) };
  };
  const [live, paused] = [await publish(), await publish()];
  (await api.patch(`/clients/${paused.client.id}`, { status: 'suspended' })).expect(200);
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
    'thank you': (person) => send(person, live.url, crypto.randomUUID()),
    'form empty': (person) => send(person, live.url, ''),
    'preview ended': ({ page }) => page.goto(preview_url.replace(/\/\/[^.]+/, `//${'a'.repeat(26)}`)),
    'preview empty': ({ page }) => page.goto(empty.preview_url),
    'form in a preview': (person) => send(person, preview_url, 'Ines'),
  };
});
afterAll(() => browser?.close());

const names = [
  'page not found',
  'address not valid',
  'no site',
  'site paused',
  'thank you',
  'form empty',
  'preview ended',
  'preview empty',
  'form in a preview',
];

test.each(names)('the page "%s" fits phones and desktops, and has enough contrast in light and dark mode', async (name) => {
  for (const [screen, viewport] of Object.entries(screens)) {
    for (const colorScheme of schemes) {
      await using person = await BrowserUser.open(browser, { viewport, colorScheme });
      await steps[name]?.(person);
      await person.page.screenshot({ path: screenshot(`${name}-${screen}-${colorScheme}`) });
      expect((await person.page.textContent('h1'))?.length).toBeGreaterThan(5);
      const { contrast, overflow } = await person.page.evaluate<{ contrast: number; overflow: number }>(measureReadability);
      expect(contrast).toBeGreaterThanOrEqual(4.5);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(person.problems.filter((problem) => !/^\d{3} |status of \d{3}/.test(problem))).toEqual([]);
    }
  }
});
