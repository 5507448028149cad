import type { Browser } from 'playwright-core';
import { inviteClient } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { openBrowser } from '../harness/browser.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { Tab } from './testing/tab.ts';

const origin = sharedPlatform().origins[0] ?? '';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test('a webhook is added and tested; failed deliveries show the reason and can be replayed', async () => {
  const ada = await owner();
  await using receiver = await WebhookReceiver.start();
  await using tab = await Tab.open(browser, origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/webhooks');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByText('client.created').click();
  await dialog.getByRole('button', { name: 'Add webhook' }).click();
  expect(await page.getByRole('region', { name: 'Signing secret' }).textContent()).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('The receiver answered well').waitFor();
  const [{ id }] = (await ada.api.get('/webhooks')).expect(200).body.webhooks;
  const listed = (status: string) =>
    eventually(async () => {
      const { deliveries } = (await ada.api.get(`/webhooks/${id}/deliveries`)).expect(200).body;
      expect(deliveries).toMatchObject([{ status }]);
    });
  expect(receiver.received.map(({ event }) => [event.type, event.test])).toEqual([['client.created', true]]);

  receiver.status = 500;
  await inviteClient(ada.api);
  await listed('pending');
  await page.reload();
  await page.getByRole('row', { name: 'client.created Waiting' }).waitFor();
  await page.getByText('HTTP 500').or(page.getByText('500')).first().waitFor();
  // Pending deliveries are skipped while the webhook is switched off.
  (await ada.api.patch(`/webhooks/${id}`, { is_active: false })).expect(200);
  await listed('skipped');
  (await ada.api.patch(`/webhooks/${id}`, { is_active: true })).expect(200);
  receiver.status = 200;

  await page.reload();
  await page.getByRole('row', { name: 'client.created Skipped' }).waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText('1 delivery is queued.').waitFor();
  await page.getByRole('row', { name: 'client.created Delivered' }).waitFor();
  expect(receiver.received.at(-1)?.event).toMatchObject({ type: 'client.created' });
  expect(tab.browserErrors).toEqual([]);
});
