import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type Stripe from 'stripe';
import { changeAccount } from './accounts.ts';
import { Api, type ApiAnswer } from './api/api.ts';
import { type ChargeRecord, controlNames, type FakeStripe, type FakeStripeControls, type FakeStripeOptions } from './controls.ts';
import { Deliveries, eventBody } from './deliveries.ts';
import { answerPage } from './pages.ts';
import { closeDispute, openDispute, refund } from './payments/after-payment.ts';
import { attemptPayment, authenticate, expireDue } from './payments/checkout.ts';
import { setDefaultCard } from './payments/payments.ts';
import { idOf, newId, type Owner, State } from './state.ts';

/** Starts a server on this machine. `stop` closes it, with the connections and deliveries that are open. */
export async function startFakeStripe(options: FakeStripeOptions = {}): Promise<FakeStripe> {
  const { secretKey = newId('sk_test_', 99), webhookSecret = newId('whsec_', 32), webhookUrl, port = 0 } = options;
  const deliveries = new Deliveries(webhookUrl ?? null, webhookSecret);
  const state = new State(secretKey, (event) => deliveries.accept(event));
  const api = new Api(state);
  const controls = controlsOf(state, api, deliveries);
  const server = createServer((request, response) => {
    expireDue(state);
    respond(request, response, { state, api, controls }).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    await deliveries.stop();
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { ...controls, url: state.url, secretKey, webhookSecret, stop, [Symbol.asyncDispose]: stop };
}

interface Parts {
  readonly state: State;
  readonly api: Api;
  readonly controls: FakeStripeControls;
}

async function respond(request: IncomingMessage, response: ServerResponse, { state, api, controls }: Parts): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', state.url);
  const body = await text(request);
  const { method = 'GET', headers } = request;
  if (pathname === '/control') return sendJson(response, await control(controls, body));
  if (pathname.startsWith('/v1/')) {
    const form = method === 'GET' || method === 'DELETE' ? search.slice(1) : body;
    const answer = await api.answer({ method, path: pathname, form, headers });
    if (answer === undefined) response.destroy();
    else sendJson(response, answer);
    return;
  }
  const page = answerPage(state, pathname, method === 'POST' ? new URLSearchParams(body) : undefined);
  if ('redirect' in page) response.writeHead(303, { Location: page.redirect }).end();
  else response.writeHead(page.status, { 'Content-Type': 'text/html; charset=utf-8' }).end(page.html);
}

function sendJson(response: ServerResponse, { status, headers, body }: ApiAnswer): void {
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(body, null, 2));
}

/** Runs a control for another process. */
async function control(controls: FakeStripeControls, body: string): Promise<ApiAnswer> {
  const { name, args } = JSON.parse(body) as { name: keyof FakeStripeControls; args: unknown[] };
  if (!controlNames.includes(name)) return { status: 404, headers: {}, body: { error: `there is no control ${name}` } };
  try {
    const run = controls[name] as (...args: unknown[]) => Promise<unknown>;
    return { status: 200, headers: {}, body: { result: await run(...args) } };
  } catch (error) {
    return { status: 400, headers: {}, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

function controlsOf(state: State, api: Api, deliveries: Deliveries): FakeStripeControls {
  return {
    now: async () => state.nowMs(),
    async advance(ms) {
      state.advance(ms);
      expireDue(state);
      return state.nowMs();
    },

    finishOnboarding: async (account) => changeAccount(state, state.account(account), true),
    disableCharges: async (account) => changeAccount(state, state.account(account), false, ['individual.verification.document']),
    async payCheckout(id, card) {
      expireDue(state);
      const found = state.anywhere('checkout.session', id);
      if (found === undefined) throw new Error(`there is no Checkout session ${id}`);
      const { owner, object: session } = found;
      if (session.status === 'open' && attemptPayment(state, owner, session, card).next === 'authenticate') {
        authenticate(state, owner, session, true);
      }
      return session.status as 'complete' | 'open' | 'expired';
    },
    setCard: async (account, customer, card) => setDefaultCard(state, account, state.ofUrl(account, 'customer', customer), card),
    dispute: async (account, paymentIntent) => openDispute(state, account, paymentIntent).id,
    closeDispute: async (account, dispute, outcome) => closeDispute(state, account, dispute, outcome),
    refundOutside: async (account, paymentIntent) => refund(state, account, { payment_intent: paymentIntent }).id,

    async sendEventsTo(webhookUrl) {
      deliveries.url = webhookUrl;
    },
    holdEvents: async () => deliveries.hold(),
    deliverEvents: (delivery = {}) => deliveries.release(delivery),
    dropEvents: async () => deliveries.drop(),
    async resend(eventId) {
      const found = state.anywhere('event', eventId);
      if (found === undefined) throw new Error(`there is no event ${eventId}`);
      return deliveries.resend(found.object);
    },
    settleDeliveries: () => deliveries.settle(),
    async signed(event, { secret, at } = {}) {
      const body = eventBody(event);
      return { body, signature: deliveries.sign(body, secret, at) };
    },

    async failNext(fault) {
      api.faults.push(fault);
    },
    async delay(ms) {
      api.delayMs = ms;
    },

    charges: async (account) => chargeRecords(state, account),
    events: async (account) => structuredClone(state.all('event', account)),
    requests: async () => structuredClone(api.requests),
  };
}

function chargeRecords(state: State, owner: Owner): ChargeRecord[] {
  const succeeded = state.all('charge', owner).filter(({ status }) => status === 'succeeded');
  return succeeded.map((charge: Stripe.Charge) => ({
    id: charge.id,
    payment_intent: idOf(charge.payment_intent) ?? '',
    customer: idOf(charge.customer),
    amount: charge.amount,
    amount_refunded: charge.amount_refunded,
    currency: charge.currency,
    application_fee_amount: charge.application_fee_amount,
    refunded: charge.refunded,
    disputed: charge.disputed,
    metadata: { ...charge.metadata },
    created: charge.created,
  }));
}
