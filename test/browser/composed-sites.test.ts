import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compose } from '@webkiln/composer';
import { accessibilityViolations } from '../dashboard/testing/accessibility-violations.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { screenshotsIn } from './looks.ts';

const browser = useBrowser();

jest.setTimeout(900_000);

const screenshot = screenshotsIn('composed-sites');

const prompts = [
  'build a bakery site in Lyon, craft',
  'editorial website for a restaurant in Lisbon',
  'poster style gym in Leeds',
  'Bar in Wien, nachtlich',
  'quiet luxury hotel in Sevilla',
  'Fleuriste à Nantes, botanique',
  'Zahnarztpraxis in Graz, klar, Telefon +43 316 000000, Öffnungszeiten: Mo–Fr 8–16',
  'Electricista en Valencia, técnico',
  'swiss grid website for an architect in Basel',
  'playful vet in Dublin',
  'Donaudampfschifffahrtsgesellschaftskapitän Rechtsanwalt in Wien, edel',
  'software startup, technical, dark',
];
const types: Readonly<Record<string, string>> = { html: 'text/html; charset=utf-8', css: 'text/css', svg: 'image/svg+xml' };

/** Serves files as the service `sites` does, for paths of composed sites. */
function serve(files: ReadonlyMap<string, string>): Promise<Server> {
  const server = createServer(({ url = '/' }, response) => {
    const wanted = url.slice(1);
    const found = [wanted === '' ? 'index.html' : wanted, `${wanted}.html`].find((name) => files.has(name)) ?? '404.html';
    response.writeHead(200, { 'content-type': types[found.split('.').at(-1) ?? ''] ?? 'text/plain' }).end(files.get(found));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/**
 * What is wrong with a page on a screen of this width: overflow, console errors, missing files, accessibility
 * violations.
 */
async function problemsAt(address: string, width: number, colorScheme: 'light' | 'dark', image: string): Promise<string[]> {
  await using person = await BrowserUser.open(browser(), { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
  const { page } = person;
  await page.goto(address, { waitUntil: 'load' });
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  await screenshot(page, image);
  return [
    ...(overflow === 0 ? [] : [`${overflow} px too wide at ${width}`]),
    ...person.problems,
    ...(await accessibilityViolations({ page })),
  ];
}

test.each(prompts.map((prompt, at) => ({ prompt, at })))(
  '$prompt: fits phone and desktop, light and dark, without accessibility violations',
  async ({ prompt, at }) => {
    const { files, site } = compose({ prompt, seed: `site-${at}` });
    const server = await serve(files);
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const contact = site.pages.find(({ id }) => id === 'contact')?.slug;
      expect(await problemsAt(`${address}/`, 1280, 'light', `${at}-wide`)).toEqual([]);
      expect(await problemsAt(`${address}/`, 390, 'dark', `${at}-phone`)).toEqual([]);
      expect(await problemsAt(`${address}/${contact}`, 320, 'light', `${at}-contact`)).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);
