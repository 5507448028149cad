import { Tab } from '../dashboard/testing/tab.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const maxBytes = 250 * 1024;

test('the builder loads with at most 250 KB, headers included', async () => {
  const ada = await owner();
  const { project } = (await ada.api.post('/account/build', { name: 'Rye' })).expect(201).body;
  const origin = sharedPlatform().origins[0] ?? '';
  const browser = await openBrowser();
  await using tab = await Tab.open(browser, origin);
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
  await browser.close();
});
