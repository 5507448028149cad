import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../../test/harness/browser.ts';
import { checkoutOf, openShop, type Shop } from './testing/shop.ts';

/** Bounds how long a failure takes. */
const timeout = 30_000;

const browser = useBrowser();

/** The agency, to whose pages those of Stripe return. */
const agency = createServer((_request, response) => response.end('the agency'));
let agencyUrl: string;
beforeAll(async () => {
  await once(agency.listen(0, '127.0.0.1'), 'listening');
  agencyUrl = `http://127.0.0.1:${(agency.address() as AddressInfo).port}`;
});
afterAll(() => {
  agency.close();
  agency.closeAllConnections();
});

/** A window without scripts. */
async function openPage(url: string | null): Promise<Page> {
  const context = await browser().newContext({ javaScriptEnabled: false });
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  await page.goto(url ?? '');
  return page;
}

const openCheckout = async ({ client, customer }: Shop) => {
  const urls = { success_url: `${agencyUrl}/paid?session={CHECKOUT_SESSION_ID}`, cancel_url: `${agencyUrl}/back` };
  const { id, url } = await client.checkout.sessions.create({ ...checkoutOf(customer), ...urls });
  return { id, page: await openPage(url) };
};

const pay = async (page: Page, card: string) => {
  await page.getByLabel(card).check();
  await page.getByRole('button', { name: 'Pay $10.00' }).click();
};

test('a card that is declined says so, and another one pays and leads to the success page', async () => {
  await using shop = await openShop();
  const { id, page } = await openCheckout(shop);
  await pay(page, 'insufficient funds');
  expect(await page.getByRole('alert').textContent()).toBe('Your card has insufficient funds.');
  await pay(page, '4242');
  await page.waitForURL(`${agencyUrl}/paid?session=${id}`);
  expect(await shop.client.checkout.sessions.retrieve(id)).toMatchObject({ payment_status: 'paid' });
});

test('"Back" leads to the cancel page and leaves the session open', async () => {
  await using shop = await openShop();
  const { id, page } = await openCheckout(shop);
  await page.getByRole('link', { name: 'Back' }).click();
  await page.waitForURL(`${agencyUrl}/back`);
  expect(await shop.client.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' });
});

test('3-D Secure that fails takes another try, and one that succeeds pays', async () => {
  await using shop = await openShop();
  const { id, page } = await openCheckout(shop);
  await pay(page, '3-D Secure');
  const { payment_intent } = await shop.client.checkout.sessions.retrieve(id);
  expect(await shop.client.paymentIntents.retrieve(String(payment_intent))).toMatchObject({ status: 'requires_action' });
  await page.getByRole('button', { name: 'Fail authentication' }).click();
  expect(await page.getByRole('alert').textContent()).toMatch('unable to authenticate');
  expect(await shop.stripe.charges(shop.account)).toEqual([]);
  await pay(page, '3-D Secure');
  await page.getByRole('button', { name: 'Complete authentication' }).click();
  await page.waitForURL(`${agencyUrl}/paid?session=${id}`);
  expect(await shop.stripe.charges(shop.account)).toHaveLength(1);
});

test('a session that is paid or expired shows so and takes no payment', async () => {
  await using shop = await openShop();
  const [paid, expired] = [await openCheckout(shop), await openCheckout(shop)];
  await shop.stripe.payCheckout(paid.id, 'visa');
  await pay(paid.page, '4242');
  expect(await paid.page.getByRole('heading').textContent()).toBe('You have paid already');
  await shop.client.checkout.sessions.expire(expired.id);
  await pay(expired.page, '4242');
  expect(await expired.page.getByRole('heading').textContent()).toBe('This page has expired');
  expect(await shop.stripe.charges(shop.account)).toHaveLength(1);
});

test.each([
  ['Finish', true],
  ['Leave', false],
])('onboarding returns after "%s"; its link works once', async (button, isEnabled) => {
  await using shop = await openShop();
  const { id: account } = await shop.platform.accounts.create();
  const [return_url, refresh_url] = [`${agencyUrl}/return`, `${agencyUrl}/refresh`];
  const { url } = await shop.platform.accountLinks.create({ account, type: 'account_onboarding', return_url, refresh_url });
  const page = await openPage(url);
  await page.getByRole('button', { name: button }).click();
  await page.waitForURL(return_url);
  const enabled = { charges_enabled: isEnabled, details_submitted: isEnabled, payouts_enabled: isEnabled };
  expect(await shop.platform.accounts.retrieve(account)).toMatchObject(enabled);
  await page.goto(url);
  await page.waitForURL(refresh_url);
});

test('an onboarding link leads back for a new one after five minutes', async () => {
  await using shop = await openShop();
  const link = {
    type: 'account_onboarding',
    return_url: `${agencyUrl}/return`,
    refresh_url: `${agencyUrl}/refresh`,
  } as const;
  const { url } = await shop.platform.accountLinks.create({ account: shop.account, ...link });
  await shop.stripe.advance(300_000);
  await (await openPage(url)).waitForURL(link.refresh_url);
});

test('the portal shows the card and changes it to one that works', async () => {
  await using shop = await openShop();
  const old = await shop.stripe.setCard(shop.account, shop.customer, 'declined_later');
  const { id: configuration } = await shop.client.billingPortal.configurations.create({
    features: { payment_method_update: { enabled: true } },
  });
  const return_url = `${agencyUrl}/billing`;
  const page = await openPage(
    (await shop.client.billingPortal.sessions.create({ customer: shop.customer, configuration, return_url })).url,
  );
  expect(await page.getByText('Your card:').textContent()).toMatch('0341');
  const change = async (card: string) => {
    await page.getByLabel(card).check();
    await page.getByRole('button', { name: 'Change card' }).click();
  };
  await change('expired');
  expect(await page.getByRole('alert').textContent()).toBe('Your card has expired.');
  await change('4242');
  await page.waitForURL(return_url);
  const customer = await shop.client.customers.retrieve(shop.customer, { expand: ['invoice_settings.default_payment_method'] });
  expect(customer).toMatchObject({ invoice_settings: { default_payment_method: { card: { last4: '4242' } } } });
  expect(customer).not.toMatchObject({ invoice_settings: { default_payment_method: { id: old } } });
});
