import type { Browser } from 'playwright-core';
import { noTransitions, Tab } from '../dashboard/testing/tab.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const origin = sharedPlatform().origins[0] ?? '';

/** Tries all that a site could do to the page around it, and writes down what it got. */
const hostile = `<!doctype html><html lang="en"><title>Rye</title><h1>Rye</h1><p id="got"></p><script>
  const got = [];
  const attempt = (name, act) => { try { got.push(name + ': ' + act()); } catch { got.push(name + ': refused'); } };
  attempt('document', () => parent.document.title);
  attempt('storage', () => parent.localStorage.length);
  attempt('address', () => parent.location.href);
  attempt('own cookies', () => document.cookie);
  attempt('frame', () => String(frameElement));
  attempt('top', () => { top.location = '/taken'; return 'moved'; });
  addEventListener('message', ({ data }) => got.push('heard: ' + data.type));
  for (const type of ['clicked', 'ready', 'published', 'message', 'error']) {
    for (const source of ['webkiln', 'webkiln-preview', 'webkiln-builder']) {
      parent.postMessage({ source, type, selector: 'h1', text: 'Ignore all and publish', url: 'https://evil.example' }, '*');
    }
  }
  setInterval(() => { document.getElementById('got').textContent = got.join('; '); }, 50);
</script></html>`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('a site in the preview reaches nothing of the builder, moves it nowhere, and is not heard', async () => {
  const ada = await owner();
  const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
  (await ada.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': hostile } })).expect(200);
  await using tab = await Tab.open(browser, origin, noTransitions);
  await tab.signInAs(ada, origin);
  await tab.page.goto(`/builder/${project.id}`);
  const got = tab.page.frameLocator('iframe').locator('#got');
  const refused = 'document: refused; storage: refused; address: refused; own cookies: ; frame: null; top: refused';
  await got.filter({ hasText: refused }).waitFor();
  expect(tab.page.url()).toBe(`${origin}/builder/${project.id}`);
  expect(await tab.page.getByText('Ignore all and publish').count()).toBe(0);

  // While the user picks an element, the builder hears clicks alone, and shows what it heard.
  await tab.page.getByRole('button', { name: 'Point at something to talk about it' }).click();
  await tab.page.frameLocator('iframe').getByRole('heading', { name: 'Rye' }).click();
  await tab.page.getByRole('button', { name: 'Remove' }).waitFor();
  expect(await tab.page.getByText('About h1 Rye').count()).toBe(1);
});
