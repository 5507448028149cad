import type { Browser } from 'playwright-core';
import { agency, eventually } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { resume, suspend } from '../harness/operator.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('a suspended organization has one notice instead of its pages; the account page opens, and all is back once it is resumed', async () => {
  await agency();
  const ada = await owner();
  const { organization } = (await ada.api.get('/account/session')).expect(200).body;
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await suspend(organization.id);
  await eventually(async () => (await ada.api.get('/projects')).expect(403, 'organization_suspended'));
  const notice = page.getByRole('heading', { level: 1, name: 'This organization is suspended' });
  for (const path of ['/', '/limits', '/audit']) {
    await page.goto(path);
    await notice.waitFor();
  }
  await page.getByRole('link', { name: 'Projects' }).click();
  await page.waitForURL('**/projects');
  await notice.waitFor();
  await tab.goTo('/account');
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  expect(tab.browserErrors).toEqual([]);

  await page.goto('/projects');
  await notice.waitFor();
  await resume(organization.id);
  await eventually(async () => (await ada.api.get('/projects')).expect(200));
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
});
