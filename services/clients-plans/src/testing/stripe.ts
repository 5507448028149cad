import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { AppError } from '@webkiln/contract';
import { type FakeStripe, startFakeStripe } from '@webkiln/fake-stripe';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { StripeProvider } from '../billing/payments/stripe-provider.ts';
import { present } from './expectations.ts';
import { activationPage, ownerOf, testOrigin, useClientsPlans } from './running-service.ts';
import type { TestStream } from './test-stream.ts';

export const feePercent = 10;

interface RunningStripe {
  readonly stream: TestStream;
  readonly server: FakeStripe;
  readonly provider: StripeProvider;
}

/** A Stripe whose events reach clients-plans as through the gateway. */
export async function startStripe(): Promise<{ server: FakeStripe; stop(): Promise<void> }> {
  const events = createServer(async (request, response) => {
    try {
      const signature = String(request.headers['stripe-signature']);
      await call('billing.ReceivePaymentEvent', { body: await buffer(request), signature }, activationPage());
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof AppError ? error.status : 500).end();
    }
  });
  events.listen(0, '127.0.0.1');
  await once(events, 'listening');
  const server = await startFakeStripe({ webhookUrl: `http://127.0.0.1:${(events.address() as AddressInfo).port}` });
  return {
    server,
    async stop() {
      await server.stop();
      events.close();
    },
  };
}

/** Runs clients-plans with a Stripe. Filled before the first test. */
export function useStripe(): RunningStripe {
  const running = {} as { -readonly [K in keyof RunningStripe]: RunningStripe[K] };
  let stop: () => Promise<void>;
  running.stream = useClientsPlans(undefined, async () => {
    ({ server: running.server, stop } = await startStripe());
    const { secretKey, webhookSecret, url: apiUrl } = running.server;
    running.provider = new StripeProvider({ secretKey, webhookSecrets: [webhookSecret], feePercent, apiUrl });
    return running.provider;
  });
  afterAll(() => stop());
  return running;
}

export const payments = ({ provider }: RunningStripe) => ({ origin: testOrigin, provider });

/** Connects an organization, and returns its account. */
export async function connectOrganization({ server }: Pick<RunningStripe, 'server'>, org: string): Promise<string> {
  await call('billing.ConnectStripe', {}, ownerOf(org));
  const account = String(
    (await mongoose.connection.collection<{ _id: string; stripe_account: string }>('billing_accounts').findOne({ _id: org }))
      ?.stripe_account,
  );
  await server.finishOnboarding(account);
  await server.settleDeliveries();
  // Events may be held: whoever comes back from Stripe finds that it is ready all the same.
  await call('billing.GetPaymentSettings', {}, ownerOf(org));
  return account;
}

interface StoredOrder {
  readonly _id: string;
  readonly link: string;
  readonly checkout: { readonly ref: string } | null;
}

const storedOrder = async (_id: string) => present(await mongoose.connection.collection<StoredOrder>('orders').findOne({ _id }));

/** The token of an order's invoice. */
export const tokenOf = async (org: string, order_id: string): Promise<string> => `${org}.${order_id}.${(await storedOrder(order_id)).link}`;

/** Opens the page on which an order is paid, and returns its session. */
export async function openCheckout(org: string, order_id: string): Promise<string> {
  await call('billing.PayInvoice', { token: await tokenOf(org, order_id) }, activationPage());
  return present((await storedOrder(order_id)).checkout).ref;
}
