import type { Browser } from 'playwright-core';
import { openBrowser } from '../harness/browser.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const maxBytes = 200 * 1024;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('the sign-in page loads with at most 200 KB, headers included', async () => {
  await using tab = await Tab.open(browser, sharedPlatform().origins[0] ?? '');
  const sizes: Promise<number>[] = [];
  tab.page.on('requestfinished', (request) => {
    sizes.push(request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize));
  });
  await tab.goTo('/');
  await tab.page.getByRole('button', { name: 'Sign in' }).waitFor();
  await tab.page.waitForLoadState('networkidle');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(20 * 1024);
  expect(bytes).toBeLessThanOrEqual(maxBytes);
});
