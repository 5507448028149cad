import type { Browser } from 'playwright-core';
import { agency } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { setLimit } from '../harness/operator.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('each limit is shown with what is used, warns from 80 % on, and says whom to ask when all is used', async () => {
  await agency();
  const ada = await owner();
  const { organization } = (await ada.api.get('/account/session')).expect(200).body;
  for (let webhook = 0; webhook < 4; webhook++) {
    (await ada.api.post('/webhooks', { url: `https://hooks.example.com/${webhook}`, events: ['client.created'] })).expect(201);
  }
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  const row = async (limit: number | undefined) => {
    await setLimit(organization.id, 'webhooks', limit);
    await tab.goTo('/limits');
    const webhooks = page.getByRole('listitem').filter({ has: page.getByRole('meter', { name: 'Webhooks' }) });
    return [await webhooks.getByRole('meter').getAttribute('aria-valuetext'), ...(await webhooks.locator('p').allTextContents())];
  };
  const all = 'All used. Delete what you no longer need, or ask the operator of this platform for more.';
  expect(await row(50)).toEqual(['4 of 50']);
  expect(await row(6)).toEqual(['4 of 6']);
  expect(await row(5)).toEqual(['4 of 5', 'Nearly used up: 1 left.']);
  expect(await row(4)).toEqual(['4 of 4', all]);
  expect(await row(3)).toEqual(['4 of 3', all]);
  await page.getByRole('listitem').filter({ hasText: 'Requests a minute' }).getByText('up to 3,000').waitFor();
  const stored = page.getByRole('meter', { name: 'Stored files' });
  expect(await stored.getAttribute('aria-valuetext')).toBe('0 bytes of 5 GB');
  await page.getByRole('link', { name: 'Limits' }).waitFor();
  expect(tab.browserErrors).toEqual([]);
});

test('what is used of a limit and not known now is said so, and a failed page can be loaded again', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  const limits = [{ name: 'projects', unit: 'projects', limit: 10_000, used: null }];
  await page.route('**/api/v1/account/limits', (route) =>
    route.fulfill({ status: 503, json: { error: 'Try again soon.', code: 'unavailable' } }),
  );
  await page.goto('/limits');
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await page.unroute('**/api/v1/account/limits');
  await page.route('**/api/v1/account/limits', (route) => route.fulfill({ json: { limits } }));
  await retry.click();
  const row = page.getByRole('listitem').filter({ hasText: 'up to 10,000' });
  await row.getByText('What is used is not known now.').waitFor();
});
