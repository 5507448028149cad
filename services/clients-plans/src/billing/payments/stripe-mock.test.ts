import { type StripeMock, startStripeMock } from '@webkiln/fake-stripe/stripe-mock';
import type { OrderState } from '../rules/order.ts';
import { StripeProvider } from './stripe-provider.ts';

let mock: StripeMock;
let provider: StripeProvider;

beforeAll(async () => {
  mock = await startStripeMock();
  provider = new StripeProvider({ secretKey: 'sk_test_123', webhookSecrets: [], feePercent: 2.5, apiUrl: mock.url });
});
afterAll(() => mock.stop());

const account = 'acct_1';
const client = { _id: 'c1', email: 'ada@example.com', name: 'Ada' };
const card = { customer: 'cus_1', payment_method: 'pm_1', brand: 'visa', last4: '4242', exp_month: 1, exp_year: 2030 };
const order = {
  ...{ _id: 'o1', amount: 1990, currency: 'EUR', number: 7, attempts: 0, checkout: null },
  invoice: { item: 'Studio', prefix: 'INV-' },
} as OrderState;
const page = 'https://platform.example/invoice/x';

const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  createAccount: () => provider.createAccount('org'),
  onboardingUrl: () => provider.onboardingUrl(account, page),
  isReady: () => provider.isReady(account),
  createPayer: () => provider.createPayer(account, client),
  openCheckout: () => provider.openCheckout(account, { customer: 'cus_1' }, order, page),
  closeCheckout: () => provider.closeCheckout(account, 'cs_1'),
  charge: () => provider.charge(account, card, order),
  earlierCharge: () => provider.earlierCharge(account, card, order),
  payment: () => provider.payment(account, 'pi_1'),
  checkoutPayment: () => provider.checkoutPayment(account, 'cs_1'),
  refund: () => provider.refund(account, 'pi_1'),
  card: () => provider.card(account, 'cus_1'),
  cardPageUrl: () => provider.cardPageUrl(account, 'cus_1', page),
  changesSince: async () => {
    for await (const _change of provider.changesSince(account, new Date(0))) break;
  },
};

test.each(Object.keys(calls))("what %s sends is valid by Stripe's own description of its API", async (name) => {
  await calls[name]?.();
});
