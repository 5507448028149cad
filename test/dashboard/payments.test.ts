import type { Client, Order } from '@webkiln/contract';
import { activeClient, inviteClient, makePlan, makeProject } from '../contract/fixtures.ts';
import { eventually } from '../harness/agency.ts';
import { useBrowser } from '../harness/browser.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser, newMember } from '../harness/team.ts';
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
  // The page that the link was on stays until the next has its data.
  await page.getByRole('row', { name: 'Care 1 HUF 2,900.50' }).waitFor();
  expect((await statsOf(tab)).slice(0, 3)).toEqual([
    'Monthly recurring revenueHUF 2,900.50',
    'Paying subscriptions1',
    'OverdueHUF 0.00Nobody',
  ]);
  await tab.goTo('/payments');
  await page.getByText('Fixed, because there are orders in it.').waitFor();
  expect(await page.getByRole('button', { name: 'Currency' }).isDisabled()).toBe(true);
  expect(tab.browserErrors).toEqual([]);
});

test('an order that failed makes the client past due, and a payment makes it active again', async () => {
  const { ada, client, tab } = await chargedClient();
  await using _ = tab;
  const { page } = tab;
  await tab.goTo('/orders');
  await act(tab, 'Mark as failed', /overdue from now on/);
  await page.getByRole('row', { name: /Rosa Marini .* Failed/ }).waitFor();
  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Overdue' }).click();
  await page.waitForURL(/status=overdue/);
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

test('a change to a plan that allows less than is used says so before, and the client page says it after', async () => {
  const ada = await owner();
  const [studio, care] = [
    await makePlan(ada.api, { name: 'Studio', price: 60, max_sites: 3 }),
    await makePlan(ada.api, { name: 'Care', max_sites: 1 }),
  ];
  const client = await activeClient(ada.api, { name: 'Rosa Marini', plan_id: studio.id });
  for (const name of ['Bakery', 'Café']) await makeProject(ada.api, client, { name });
  await using tab = await Tab.open(browser(), origin);
  await tab.signInAs(ada, origin);
  await tab.goTo(`/clients/${client.id}`);
  await tab.page.getByRole('button', { name: 'Change plan' }).click();
  const exceeded = /With the plan Care, 1 site is allowed, and the client has 2: nothing is deleted/;
  await confirm(tab, 'Change plan', exceeded);
  await tab.page.getByText(exceeded).waitFor();
  expect((await ada.api.get(`/clients/${client.id}`)).body.client.plan_id).toBe(care.id);
  expect(tab.browserErrors).toEqual([]);
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

/** There it is another day than in the browser. */
const timeZone = new Date().getUTCHours() < 11 ? 'Etc/GMT+12' : 'Pacific/Kiritimati';

/** A client who is signed in in a tab and has a plan for $29.50, and another client of the agency with one for $80. */
async function clientWithBilling(): Promise<{ ada: Person; rosa: Person; order: Order; tab: Tab }> {
  const ada = await owner();
  const [care, estate] = [await makePlan(ada.api, { name: 'Care', price: 29.5 }), await makePlan(ada.api, { name: 'Estate', price: 80 })];
  (await ada.api.patch('/account/payments', { tax_name: 'VAT', tax_rate: 20, time_zone: timeZone })).expect(200);
  const { person: rosa, client } = await clientUser(ada);
  (await ada.api.patch(`/clients/${client.id}`, { plan_id: care.id })).expect(200);
  await inviteClient(ada.api, { name: 'Jonas Lind', plan_id: estate.id });
  const { orders } = (await ada.api.get(`/orders?client_id=${client.id}`)).expect(200).body;
  const tab = await Tab.open(browser(), origin);
  await tab.signInAs(rosa, origin);
  return { ada, rosa, order: orders[0], tab };
}

test('a client sees its own plan and invoices and nobody else’s, opens them, and cannot end the plan by default', async () => {
  const { ada, order, tab } = await clientWithBilling();
  await using _ = tab;
  const { page } = tab;
  await tab.goTo('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Billing' }).click();
  await page.getByText('Not paid yet').waitFor();
  await page.getByText(/\$29\.50.*, includes VAT 20 %/).waitFor();
  const [toPay] = await Promise.all([tab.context.waitForEvent('page'), page.getByRole('link', { name: 'open the invoice' }).click()]);
  expect(toPay.url()).toBe(order.invoice_url);
  const invoices = page.getByRole('table', { name: 'Invoices' });
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone }).format(new Date(order.created_at));
  const link = invoices.getByRole('link', { name: `Invoice of ${day}, $29.50`, exact: true });
  const [invoice] = await Promise.all([tab.context.waitForEvent('page'), link.click()]);
  await invoice.getByRole('heading', { name: 'Invoice 1' }).waitFor();
  expect(await invoices.getByRole('row', { name: /\$/ }).count()).toBe(1);
  expect(await invoices.getByRole('link', { name: /as PDF$/ }).getAttribute('href')).toBe(`${order.invoice_url}/pdf`);

  (await ada.api.patch(`/orders/${order.id}`, { status: 'failed' })).expect(200);
  await tab.goTo('/billing');
  await page.getByText('Payment is overdue').waitFor();
  await page.getByRole('link', { name: 'open the invoice' }).waitFor();
  (await ada.api.patch(`/orders/${order.id}`, { status: 'paid' })).expect(200);
  await tab.goTo('/billing');
  await page.getByText(/^renews on /).waitFor();
  expect(await page.getByRole('link', { name: 'open the invoice' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'End my plan' }).count()).toBe(0);
  expect(await page.getByText('Estate').count()).toBe(0);
  expect(tab.browserErrors).toEqual([]);
});

test('an owner lets clients end their plans, and a client ends its own with the period', async () => {
  const { ada, rosa, order, tab } = await clientWithBilling();
  await using _ = tab;
  (await ada.api.patch(`/orders/${order.id}`, { status: 'paid' })).expect(200);
  await using agency = await Tab.open(browser(), origin);
  await agency.signInAs(ada, origin);
  await agency.goTo('/payments');
  const ends = agency.page.getByRole('region', { name: 'When a subscription ends' });
  const days = ends.getByLabel('How many days sites stay after that');
  const save = async () => {
    const saved = agency.page.waitForResponse((response) => response.request().method() === 'PATCH');
    await ends.getByRole('button', { name: 'Save changes' }).click();
    await saved;
    return (await ada.api.get('/account/payments')).expect(200).body.payment_settings;
  };
  expect(await days.inputValue()).toBe('');
  await days.fill('30');
  await ends.getByText('Clients may end their plan themselves').click();
  expect(await save()).toMatchObject({ grace_days: 30, clients_may_cancel: true });

  await tab.goTo('/billing');
  await tab.page.getByRole('button', { name: 'End my plan' }).click();
  await confirm(tab, 'End my plan', /It goes on until .*, and nothing more is charged after that/);
  await tab.page.getByText(/^ends on /).waitFor();
  await tab.page.getByRole('button', { name: 'End my plan' }).waitFor({ state: 'detached' });
  const { billing } = (await rosa.api.get('/account/billing')).expect(200).body;
  expect(billing).toMatchObject({ may_cancel: false, subscription: { status: 'active', cancel_at_period_end: true } });

  await days.fill('for ever');
  await ends.getByRole('button', { name: 'Save changes' }).click();
  await ends.locator('[aria-invalid=true]').waitFor();
  expect((await ada.api.get('/account/payments')).body.payment_settings.grace_days).toBe(30);
  await days.fill('');
  expect(await save()).toMatchObject({ grace_days: null, clients_may_cancel: true });
  expect([...tab.browserErrors, ...agency.browserErrors]).toEqual([]);
});

test('an owner connects Stripe, a client pays its invoice by card with 3-D Secure, and changes the card', async () => {
  const ada = await owner();
  await using agency = await Tab.open(browser(), origin);
  await agency.signInAs(ada, origin);
  await agency.goTo('/payments');
  const cards = agency.page.getByRole('region', { name: 'Card payments' });
  await cards.getByText('Off', { exact: true }).waitFor();
  await cards.getByRole('button', { name: 'Connect Stripe' }).click();
  await agency.page.getByRole('button', { name: 'Leave' }).click();
  await cards.getByText('Not finished').waitFor();
  await cards.getByRole('button', { name: 'Continue at Stripe' }).click();
  await agency.page.getByRole('button', { name: 'Finish' }).click();
  await cards.getByText('On', { exact: true }).waitFor();

  const { person: rosa, client } = await clientUser(ada);
  const plan = await makePlan(ada.api, { name: 'Care', price: 29.5 });
  (await ada.api.patch(`/clients/${client.id}`, { plan_id: plan.id })).expect(200);
  await using tab = await Tab.open(browser(), origin);
  const { page } = tab;
  await tab.signInAs(rosa, origin);
  await tab.goTo('/billing');
  const [invoice] = await Promise.all([tab.context.waitForEvent('page'), page.getByRole('link', { name: 'open the invoice' }).click()]);
  await invoice.getByRole('link', { name: 'Pay $29.50 by card' }).click();
  await invoice.getByLabel(/insufficient funds/).check();
  await invoice.getByRole('button', { name: 'Pay $29.50' }).click();
  await invoice.getByRole('alert').waitFor();
  await invoice.getByLabel(/3-D Secure/).check();
  await invoice.getByRole('button', { name: 'Pay $29.50' }).click();
  await invoice.getByRole('button', { name: 'Complete authentication' }).click();
  await invoice.getByText(/^Paid on /).waitFor();
  expect(await invoice.getByRole('link', { name: /by card/ }).count()).toBe(0);

  // Stripe is asked for the card once the payment is recorded.
  await eventually(async () => expect((await rosa.api.get('/account/billing')).body.billing.card?.last4).toBe('3184'));
  await tab.goTo('/billing');
  await page.getByText(/^Visa ending in 3184/).waitFor();
  await page.getByRole('button', { name: 'Change card' }).click();
  await page.getByLabel(/4242/).check();
  await page.getByRole('button', { name: 'Change card' }).click();
  await page.getByText(/^Visa ending in 4242/).waitFor();
  expect((await ada.api.get(`/clients/${client.id}`)).body.client.payment_status).toBe('active');

  await agency.goTo('/orders');
  await agency.page.getByRole('button', { name: /^Actions for \$29.50/ }).click();
  await agency.page.getByRole('menuitem', { name: 'Refund' }).click();
  await confirm(agency, 'Refund', /goes back to the card/);
  await agency.page.getByRole('row', { name: /Refunded/ }).waitFor();
  await agency.goTo('/payments');
  await cards.getByRole('button', { name: 'Switch off' }).click();
  await confirm(agency, 'Switch off', /Open invoices are then paid/);
  await cards.getByText('Off', { exact: true }).waitFor();
  expect([...tab.browserErrors, ...agency.browserErrors]).toEqual([]);
});

test('an admin sees payments; a developer has no item for them, no card, and is told so at the address of any page that is not in its menu', async () => {
  const { ada, client, tab } = await chargedClient();
  await tab.context.close();
  const items = ['Orders', 'Revenue', 'Payments'];
  const ofPayments = [...items, 'Billing'];
  const seen = async (person: Person) => {
    await using tab = await Tab.open(browser(), origin);
    const refused: string[] = [];
    tab.page.on('response', (response) => void (response.status() === 403 && refused.push(response.url())));
    await tab.signInAs(person, origin);
    await tab.goTo(`/clients/${client.id}`);
    const links = await tab.page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
    const cards = await tab.page.getByRole('region', { name: 'Subscription' }).count();
    const told: number[] = [];
    for (const path of ['/orders', '/revenue', '/payments', '/members', '/organization', '/audit']) {
      await tab.goTo(path);
      told.push(await tab.page.getByText('Your role does not include this page').count());
    }
    return { items: links.filter((link) => ofPayments.includes(link)), cards, told, refused };
  };
  expect(await seen(await newMember(ada, 'admin'))).toEqual({ items, cards: 1, told: [0, 0, 0, 0, 0, 1], refused: [] });
  expect(await seen(await newMember(ada, 'developer'))).toEqual({ items: [], cards: 0, told: [1, 1, 1, 1, 1, 1], refused: [] });
});
