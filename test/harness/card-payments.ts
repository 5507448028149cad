import { fakeStripeAt } from '@webkiln/fake-stripe';
import { eventually } from './agency.ts';
import type { Person } from './person.ts';
import { sharedPlatform } from './shared-platform.ts';

/** The Stripe of the shared platform. */
export const sharedStripe = () => fakeStripeAt(sharedPlatform().stripeUrl ?? '');

/** Connects an organization to Stripe, as its owner does on Stripe's page. */
export async function takeCards({ api }: Person): Promise<void> {
  const { url } = (await api.post('/account/payments/stripe', {})).expect(200).body;
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'finish' }), redirect: 'manual' });
  const state = (await api.get('/account/payments')).expect(200).body.payment_settings.card_payments;
  if (state !== 'ready') throw new Error(`card payments are ${state}`);
}

/** Pays an order by card, on the page behind its invoice's button, and waits until that is recorded. */
export async function payByCard({ api }: Person, order: { readonly id: string; readonly invoice_url: string | null }): Promise<void> {
  const answer = await fetch(`${order.invoice_url}/pay`, { redirect: 'manual' });
  const page = answer.headers.get('location') ?? '';
  if (answer.status !== 303) throw new Error(`the page to pay was answered ${answer.status}`);
  await fetch(page, { method: 'POST', body: new URLSearchParams({ card: 'visa' }), redirect: 'manual' });
  await eventually(async () => {
    expect((await api.get(`/orders/${order.id}`)).body.order.status).toBe('paid');
  });
}

/** The account at Stripe that got a payment. */
export async function accountOf(payment: string): Promise<string> {
  for (const account of new Set((await sharedStripe().events()).map((event) => event.account ?? ''))) {
    const charges = account === '' ? [] : await sharedStripe().charges(account);
    if (charges.some(({ payment_intent }) => payment_intent === payment)) return account;
  }
  throw new Error('no account has this payment');
}
