import { randomUUID } from 'node:crypto';
import { withinOneDay } from '@webkiln/store/testing';
import type { Browser } from 'playwright-core';
import { eventually } from '../harness/agency.ts';
import { Api } from '../harness/api.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  await withinOneDay();
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('a request is found by the request id of its response, and counts in the usage of its key', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/requests');
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();

  const { key, secret } = (await ada.api.post('/account/keys', { name: 'Importer', permissions: ['read'] })).expect(201).body;
  const program = new Api(`${origin}/api/v1`, secret);
  (await program.get('/clients')).expect(200);
  const id = (await program.get(`/clients/${randomUUID()}`)).expect(404).headers.get('x-request-id') ?? '';
  await eventually(async () => expect((await ada.api.get(`/account/requests?key_id=${key.id}`)).body.total).toBe(2));

  await tab.goTo('/requests');
  await page.getByRole('searchbox', { name: 'Request ID' }).fill(id);
  const row = page.getByRole('row').filter({ hasText: 'GET /clients/{clientId}' });
  await row.getByText('404').waitFor();
  await page.getByRole('row').filter({ hasText: '200' }).waitFor({ state: 'detached' });
  await row.getByRole('button').click();
  const details = page.getByRole('dialog');
  expect(await details.getByRole('region', { name: 'Request ID' }).textContent()).toBe(id);
  expect(await details.textContent()).toContain('client_not_found');
  await details.getByRole('button', { name: 'Close' }).click();

  await eventually(async () => {
    const { keys } = (await ada.api.get('/account/usage')).expect(200).body.usage;
    expect(keys).toContainEqual(expect.objectContaining({ key_id: key.id, requests: 2 }));
  });
  await tab.goTo('/usage');
  const usage = page.getByRole('row').filter({ hasText: 'Importer' });
  expect(await usage.getByRole('cell').nth(1).textContent()).toBe('2');
  const { days } = (await ada.api.get('/account/usage?days=30')).expect(200).body.usage;
  const charted = page.getByRole('table', { name: 'Requests by day' }).locator('tr[data-date]');
  await charted.first().waitFor({ state: 'attached' });
  expect(await charted.evaluateAll((rows) => rows.map((shown) => shown.getAttribute('data-date')))).toEqual(
    days.map(({ date }: { date: string }) => date),
  );
  await usage.getByRole('link', { name: 'Requests' }).click();
  await row.waitFor();
  expect(tab.browserErrors).toEqual([]);
});

test('an error on a page links to its request in the log', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await page.goto(`/clients/${randomUUID()}`);
  const link = page.getByRole('alert').getByRole('link');
  const id = ((await link.textContent()) ?? '').replace('Request ID ', '');
  await eventually(async () => expect((await ada.api.get(`/account/requests?request_id=${id}`)).body.total).toBe(1));
  await link.click();
  await page.getByRole('row').filter({ hasText: 'GET /clients/{clientId}' }).filter({ hasText: '404' }).waitFor();
  expect(await page.getByRole('searchbox', { name: 'Request ID' }).inputValue()).toBe(id);
  expect(tab.browserErrors).toEqual([]);
});
