/**
 * Sites as build tools make them, published as zips. `built-sites/` has two versions of each: Vite with Preact, Angular
 * with its service worker, Astro with a script that loads a chunk, and Hugo with German names.
 */
import { readFile } from 'node:fs/promises';
import { activeClient, makeProject } from '../contract/fixtures.ts';
import { type Agency, agency } from '../harness/agency.ts';
import { BrowserUser, useBrowser } from '../harness/browser.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { visit } from '../harness/visitor.ts';

const browser = useBrowser();
const [origin = ''] = sharedPlatform().origins;

describe('a site from a build tool', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency(sharedPlatform(), { rateLimit: 100_000 });
  });

  /** A project, and how a version of the site is published there. */
  async function project(tool: string) {
    const { id } = await makeProject(ours.api, await activeClient(ours.api), { name: `Built with ${tool}` });
    const publish = async (version: 1 | 2) => {
      const body = await readFile(new URL(`./built-sites/${tool}-${version}.zip`, import.meta.url));
      (await ours.api.send(`/projects/${id}/files`, { method: 'PUT', body, headers: { 'content-type': 'application/zip' } })).expect(200);
      return (await ours.api.post(`/projects/${id}/publish`, {})).expect(200).body;
    };
    return { id, publish };
  }

  /** A visitor, and the heading of the page once it is as expected. */
  async function visitor() {
    const person = await BrowserUser.open(browser());
    const { page } = person;
    const shows = (heading: string) => page.locator('h1', { hasText: heading }).waitFor();
    return { person, page, shows, [Symbol.asyncDispose]: () => person[Symbol.asyncDispose]() };
  }

  test('a Vite application reloads below its address, counts that page, and loads its parts after a new deploy', async () => {
    const { id, publish } = await project('vite');
    const { url, warnings } = await publish(1);
    expect(warnings).toBeUndefined();
    await using one = await visitor();
    await one.page.goto(`${url}/bestellungen/7`);
    await one.shows('Bestellung 7: Brötchen v1');
    await one.page.reload();
    await one.shows('Bestellung 7: Brötchen v1');
    const { text: first } = await visit(origin, `${url}/`);
    await publish(2);
    await ours.eventually(async () => expect((await visit(origin, `${url}/`)).text).not.toBe(first));
    // The open page is of the first version, and has not loaded this part yet.
    await one.page.click('text=Preise');
    await one.shows('Preise v1');
    await one.page.reload();
    await one.shows('Preise v2');
    expect(one.person.problems).toEqual([]);
    await ours.eventually(async () => {
      const { analytics } = (await ours.api.get(`/analytics?project_id=${id}`)).expect(200).body;
      expect(analytics.topPages.map(({ path }: { path: string }) => path).sort()).toEqual(['/bestellungen/7', '/preise']);
    });
  });

  test('an Angular application installs its service worker, works offline, and finds the next deploy', async () => {
    const { publish } = await project('angular');
    const { url } = await publish(1);
    await using one = await visitor();
    await one.page.goto(`${url}/termine/12`);
    await one.shows('Termin 12: Föhnen v1');
    // The worker has all files, none of which differs from the hash that its list states, and is at work.
    const files = `fetch('/ngsw.json').then((response) => response.json())
      .then(({ hashTable }) => Promise.all(Object.keys(hashTable).map((path) => caches.match(path))))`;
    await ours.eventually(async () => expect(await one.page.evaluate(`${files}.then((found) => found.every(Boolean))`)).toBe(true));
    await one.page.reload();
    expect(await one.page.evaluate("fetch('/ngsw/state').then((response) => response.text())")).toContain('Driver state: NORMAL');
    await one.person.context.setOffline(true);
    await one.page.goto(`${url}/`);
    await one.shows('Friseur v1');
    await one.page.click('text=Termin 12');
    await one.shows('Termin 12: Föhnen v1');
    await one.person.context.setOffline(false);
    await publish(2);
    await ours.eventually(async () => {
      await one.page.goto(`${url}/`);
      expect(await one.page.textContent('h1')).toBe('Friseur v2');
    });
  });

  test('an Astro site has German addresses, its redirects, and a page that loads its script after a new deploy', async () => {
    const { publish } = await project('astro');
    const { url, warnings } = await publish(1);
    expect(warnings).toBeUndefined();
    await using one = await visitor();
    await one.page.goto(`${url}/impressum`);
    await one.shows('Über uns');
    await one.page.click('text=Start');
    await one.page.click('text=Fußpflege');
    await one.shows('Fußpflege');
    await one.page.reload();
    await one.shows('Fußpflege');
    await one.page.click('text=Start');
    await one.shows('Praxis v1');
    await publish(2);
    await ours.eventually(async () => expect((await visit(origin, `${url}/`)).text).toContain('Praxis v2'));
    await one.page.click('#more');
    await one.page.locator('#out', { hasText: 'Sprechstunde v1' }).waitFor();
    await one.page.reload();
    await one.shows('Praxis v2');
    expect(one.person.problems).toEqual([]);
    await one.page.goto(`${url}/nichts`);
    await one.shows('Nicht gefunden');
  });

  test('a Hugo site has German names, a 404 page for each language, and styles that fit their hash after a new deploy', async () => {
    const { publish } = await project('hugo');
    const { url, warnings } = await publish(1);
    expect(warnings).toBeUndefined();
    await using one = await visitor();
    await one.page.goto(url);
    await one.page.waitForURL(`${url}/de/`);
    await one.page.click('text=Sträucher & Bäume');
    await one.shows('Sträucher & Bäume');
    await one.page.reload();
    await one.page.click('text=Start');
    await one.page.click('text=Über uns');
    await one.shows('Über uns');
    await one.page.waitForLoadState();
    expect(await one.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(240, 241, 255)');
    await publish(2);
    await ours.eventually(async () => {
      await one.page.goto(`${url}/de/`);
      expect(await one.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(240, 242, 255)');
    });
    expect(one.person.problems).toEqual([]);
    await one.page.goto(`${url}/de/fehlt/hier`);
    await one.shows('Seite fehlt');
    await one.page.goto(`${url}/en/lost`);
    await one.shows('Page missing');
  });
});
