import type { Client, Order } from '@webkiln/contract';
import { inviteClient, makePlan } from '../contract/fixtures.ts';
import { useBrowser } from '../harness/browser.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { newMember } from '../harness/team.ts';
import { Tab } from './testing/tab.ts';

const browser = useBrowser();

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

/** An owner in a tab, and a client with a priced plan and its first order. */
async function chargedClient(): Promise<{ ada: Person; client: Client; order: Order; tab: Tab }> {
  const ada = await owner();
  const plan = await makePlan(ada.api, { name: 'Care', price: 29.5 });
  const client = await inviteClient(ada.api, { name: 'Rosa Marini', plan_id: plan.id });
  const { orders } = (await ada.api.get('/orders')).expect(200).body;
  const tab = await Tab.open(browser(), origin);
  await tab.signInAs(ada, origin);
  return { ada, client, order: orders[0], tab };
}

/** Chooses an act from the menu of the only order of Rosa, and confirms it. */
async function act({ page }: Tab, name: string, follows: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Actions for $29.50 of Rosa Marini' }).click();
  await page.getByRole('menuitem', { name }).click();
  await confirm({ page }, name, follows);
}

async function confirm({ page }: Pick<Tab, 'page'>, name: string, follows: RegExp): Promise<void> {
  // The options of a select are a dialog, too, but without a heading.
  const dialog = page.getByRole('dialog').filter({ has: page.getByRole('heading') });
  await dialog.getByText(follows).waitFor();
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The figures of the revenue page, with ordinary spaces. */
const statsOf = async ({ page }: Tab) => (await page.locator('.stat').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));

test('an owner prices a plan, attaches it to a client, records the first payment, and sees it as revenue', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(ada, origin);
  await tab.goTo('/payments');
  await page.getByRole('button', { name: 'Currency' }).click();
  await page.getByLabel('Search').fill('forint');
  await page.getByRole('option', { name: 'HUF – Hungarian Forint' }).click();
  await page.getByRole('region', { name: 'Charging' }).getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').waitFor();

  await tab.goTo('/orders');
  await page.getByRole('link', { name: 'Make a plan with a price' }).click();
  await page.getByRole('button', { name: 'New plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Care');
  await dialog.getByLabel('Price in HUF').fill('29.999');
  await dialog.getByRole('button', { name: 'Create plan' }).click();
  await dialog.getByText('must have at most 2 decimals in HUF').waitFor();
  await dialog.getByLabel('Price in HUF').fill('2900.50');
  await dialog.getByRole('button', { name: 'Create plan' }).click();
  await page.getByText('HUF 2,900.50').waitFor();

  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('link', { name: 'Attach a plan to a client' }).click();
  await page.getByRole('button', { name: 'Invite client' }).click();
  await dialog.getByLabel('Email').fill('rosa@example.test');
  await dialog.getByLabel('Name').fill('Rosa Marini');
  await dialog.getByRole('button', { name: 'Plan' }).click();
  await page.getByRole('option', { name: 'Care' }).click();
  await dialog.getByRole('button', { name: 'Send invitation' }).click();

  await page.getByRole('link', { name: 'Rosa Marini' }).click();
  await page.getByText('its first order is not paid yet').waitFor();
  await page.getByRole('button', { name: 'Record payment' }).click();
  await dialog.getByRole('heading', { name: 'Has Rosa Marini paid HUF 2,900.50?' }).waitFor();
  await confirm(tab, 'Record payment', /becomes a paying client/);
  await page.getByText(/^renews on /).waitFor();
  await page.getByText('Paying').waitFor();

  await page.getByRole('link', { name: 'Revenue' }).click();
  await tab.waitUntilLoaded();
  expect((await statsOf(tab)).slice(0, 3)).toEqual([
    'Monthly recurring revenueHUF 2,900.50',
    'Paying subscriptions1',
    'OverdueHUF 0.00Nobody',
  ]);
  await page.getByRole('row', { name: 'Care 1 HUF 2,900.50' }).waitFor();
  await tab.goTo('/payments');
  expect(await page.getByRole('button', { name: 'Currency' }).isDisabled()).toBe(true);
  await page.getByText('Fixed, because there are orders in it.').waitFor();
  expect(tab.browserErrors).toEqual([]);
});

test('an order that failed makes the client past due, and a payment makes it active again', async () => {
  const { ada, client, tab } = await chargedClient();
  await using _ = tab;
  const { page } = tab;
  await tab.goTo('/orders');
  await act(tab, 'Mark as failed', /overdue from now on/);
  await page.getByRole('row', { name: /Rosa Marini .* Failed/ }).waitFor();
  await tab.goTo('/revenue');
  expect((await statsOf(tab))[2]).toBe('Overdue$29.501 client');
  await page.getByRole('region', { name: 'Who is past due' }).getByRole('link', { name: 'Show orders' }).click();
  await act(tab, 'Record payment', /becomes a paying client/);
  await page.getByRole('row', { name: /Rosa Marini .* Paid/ }).waitFor();
  expect((await ada.api.get(`/clients/${client.id}`)).body.client.payment_status).toBe('active');
  expect((await ada.api.get('/account/revenue')).body.revenue).toMatchObject({ past_due: 0, past_due_clients: 0, mrr: 29.5 });
  expect(tab.browserErrors).toEqual([]);
});

test('a subscription is canceled with its period, kept after all, and ended at once', async () => {
  const { ada, client, order, tab } = await chargedClient();
  await using _ = tab;
  (await ada.api.patch(`/orders/${order.id}`, { status: 'paid' })).expect(200);
  const { page } = tab;
  await tab.goTo(`/clients/${client.id}`);
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await confirm(tab, 'Cancel subscription', /Rosa Marini keeps the plan until/);
  await page.getByText(/^ends on /).waitFor();
  await page.getByRole('button', { name: 'Do not cancel' }).click();
  await confirm(tab, 'Do not cancel', /The subscription goes on/);
  await page.getByText(/^renews on /).waitFor();
  await page.getByRole('button', { name: 'Cancel subscription' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'When' }).click();
  await page.getByRole('option', { name: 'Now' }).click();
  await confirm(tab, 'Cancel subscription', /ends at once/);
  await page.getByText('Ended', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Open subscription' }).waitFor();
  expect((await ada.api.get(`/clients/${client.id}/subscription`)).body.subscription.status).toBe('canceled');
  expect(tab.browserErrors).toEqual([]);
});

test('a change of plan says what it charges, and charges that', async () => {
  const { ada, client, order, tab } = await chargedClient();
  await using _ = tab;
  (await ada.api.patch(`/orders/${order.id}`, { status: 'paid' })).expect(200);
  await makePlan(ada.api, { name: 'Estate', price: 36.5 });
  await tab.goTo(`/clients/${client.id}`);
  await tab.page.getByRole('button', { name: 'Change plan' }).click();
  await confirm(tab, 'Change plan', /About \$7\.00 is charged now/);
  await tab.page.getByRole('row', { name: /Estate \$7\.00 Open/ }).waitFor();
  expect((await ada.api.get(`/orders?client_id=${client.id}`)).body.orders).toMatchObject([{ amount: 7 }, { amount: 29.5 }]);
});

test('the invoice opens from the list, and says what the payment settings and the billing details say', async () => {
  const ada = await owner();
  await using tab = await Tab.open(browser(), origin);
  await tab.signInAs(ada, origin);
  const { page } = tab;
  await tab.goTo('/payments');
  const part = (name: string) => page.getByRole('region', { name });
  await part('Issuer').getByLabel('Legal name').fill('Northlight Studio Ltd');
  await part('Issuer').getByLabel('Address').fill('1 Harbour Road\nBristol');
  await part('Issuer').getByRole('button', { name: 'Save changes' }).click();
  await part('Issuer').getByText('Saved.').waitFor();
  const client = await inviteClient(ada.api, { name: 'Rosa Marini' });
  await tab.goTo(`/clients/${client.id}`);
  await page.getByRole('button', { name: 'Change billing details' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name on invoices').fill('Marini Bakery SRL');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await dialog.waitFor({ state: 'detached' });
  const plan = await makePlan(ada.api, { price: 29.5 });
  (await ada.api.patch(`/clients/${client.id}`, { plan_id: plan.id })).expect(200);

  await tab.goTo('/orders?status=pending');
  const opened = tab.context.waitForEvent('page');
  await page.getByRole('link', { name: 'Invoice of $29.50 for Rosa Marini' }).click();
  const invoice = await opened;
  await invoice.getByRole('heading', { name: 'Invoice 1' }).waitFor();
  const text = await invoice.locator('main').textContent();
  for (const said of ['Northlight Studio Ltd', '1 Harbour Road', 'Marini Bakery SRL', '$29.50']) expect(text).toContain(said);
});

test('an admin sees payments; a developer has no item for them, no card, and is told so at their address', async () => {
  const { ada, client, tab } = await chargedClient();
  await tab.context.close();
  const items = ['Orders', 'Revenue', 'Payments'];
  const seen = async (person: Person) => {
    await using tab = await Tab.open(browser(), origin);
    const refused: string[] = [];
    tab.page.on('response', (response) => void (response.status() === 403 && refused.push(response.url())));
    await tab.signInAs(person, origin);
    await tab.goTo(`/clients/${client.id}`);
    const links = await tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
    const cards = await tab.page.getByRole('region', { name: 'Subscription' }).count();
    const told: number[] = [];
    for (const path of ['/orders', '/revenue', '/payments']) {
      await tab.goTo(path);
      told.push(await tab.page.getByText('Your role does not include this page').count());
    }
    return { items: links.filter((link) => items.includes(link)), cards, told, refused };
  };
  expect(await seen(await newMember(ada, 'admin'))).toEqual({ items, cards: 1, told: [0, 0, 0], refused: [] });
  expect(await seen(await newMember(ada, 'developer'))).toEqual({ items: [], cards: 0, told: [1, 1, 1], refused: [] });
});
