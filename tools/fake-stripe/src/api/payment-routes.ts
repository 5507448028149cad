import { z } from 'zod';
import { invalidRequest } from '../errors.ts';
import { refund } from '../payments/after-payment.ts';
import { createSession, expireSession } from '../payments/checkout.ts';
import { cancelIntent, createIntent } from '../payments/payments.ts';
import type { Kind, Kinds } from '../state.ts';
import { oneOf, type Route, route } from './route.ts';
import { boolean, currency, integer, metadata, page, paging, positive, range, text, url } from './wire.ts';

const futureUsage = oneOf('off_session', 'on_session').optional();
const onlyCards = z.array(oneOf('card')).optional();

/** The operations on payments. */
export const paymentRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/checkout/sessions',
    {
      mode: oneOf('payment'),
      success_url: url,
      cancel_url: url.optional(),
      client_reference_id: text.max(200).optional(),
      customer: text.optional(),
      customer_email: text.optional(),
      expires_at: integer.optional(),
      line_items: z.array(
        z.strictObject({
          price_data: z.strictObject({
            currency,
            unit_amount: positive,
            product_data: z.strictObject({ name: text, description: text.optional(), metadata: metadata.optional() }),
          }),
          quantity: positive,
        }),
      ),
      metadata: metadata.optional(),
      payment_intent_data: z
        .strictObject({
          application_fee_amount: positive.optional(),
          description: text.optional(),
          metadata: metadata.optional(),
          setup_future_usage: futureUsage,
        })
        .optional(),
      allowed_payment_method_types: onlyCards,
      submit_type: oneOf('auto', 'pay').optional(),
      locale: text.optional(),
    },
    ({ state, owner, params }) => createSession(state, owner, params),
  ),
  route('GET', '/v1/checkout/sessions/{session}', {}, ({ state, owner }, id) => state.ofUrl(owner, 'checkout.session', id, 'session')),
  route('POST', '/v1/checkout/sessions/{session}/expire', {}, ({ state, owner }, id) =>
    expireSession(state, owner, state.ofUrl(owner, 'checkout.session', id, 'session')),
  ),
  route('GET', '/v1/checkout/sessions/{session}/line_items', paging, ({ state, owner, params }, id) => {
    state.ofUrl(owner, 'checkout.session', id, 'session');
    return page(`/v1/checkout/sessions/${id}/line_items`, (state.lineItems.get(id) ?? []).toReversed(), params);
  }),

  route(
    'POST',
    '/v1/payment_intents',
    {
      allowed_payment_method_types: onlyCards,
      amount: positive,
      currency,
      application_fee_amount: positive.optional(),
      automatic_payment_methods: z.strictObject({ enabled: boolean, allow_redirects: oneOf('always', 'never').optional() }).optional(),
      confirm: boolean.optional(),
      customer: text.optional(),
      description: text.optional(),
      error_on_requires_action: boolean.optional(),
      metadata: metadata.optional(),
      off_session: boolean.optional(),
      payment_method: text.optional(),
      return_url: url.optional(),
      setup_future_usage: futureUsage,
    },
    ({ state, owner, params }) => createIntent(state, owner, params),
  ),
  route('GET', '/v1/payment_intents/{intent}', {}, ({ state, owner }, id) => state.ofUrl(owner, 'payment_intent', id, 'intent')),
  route('GET', '/v1/payment_intents', { ...paging, created: range, customer: text.optional() }, ({ state, owner, params }) =>
    page('/v1/payment_intents', matching(state.all('payment_intent', owner), { customer: params.customer }), params),
  ),
  route(
    'POST',
    '/v1/payment_intents/{intent}/cancel',
    { cancellation_reason: oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer').optional() },
    ({ state, owner, params }, id) => {
      const intent = state.ofUrl(owner, 'payment_intent', id, 'intent');
      const session = state.all('checkout.session', owner).find(({ payment_intent, status }) => payment_intent === id && status === 'open');
      if (session !== undefined) {
        throw invalidRequest(
          `You cannot cancel this PaymentIntent because it was created by a Checkout Session. Expire the Checkout Session ${session.id} instead.`,
          { code: 'payment_intent_unexpected_state' },
        );
      }
      return cancelIntent(state, owner, intent, params.cancellation_reason);
    },
  ),

  route('GET', '/v1/charges/{charge}', {}, ({ state, owner }, id) => state.ofUrl(owner, 'charge', id)),
  route(
    'POST',
    '/v1/refunds',
    {
      amount: positive.optional(),
      charge: text.optional(),
      metadata: metadata.optional(),
      payment_intent: text.optional(),
      reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer').optional(),
      refund_application_fee: boolean.optional(),
    },
    ({ state, owner, params }) => refund(state, owner, params),
  ),
  route(
    'GET',
    '/v1/refunds',
    { ...paging, charge: text.optional(), created: range, payment_intent: text.optional() },
    ({ state, owner, params }) =>
      page('/v1/refunds', matching(state.all('refund', owner), { charge: params.charge, payment_intent: params.payment_intent }), params),
  ),
  route(
    'GET',
    '/v1/disputes',
    { ...paging, charge: text.optional(), created: range, payment_intent: text.optional() },
    ({ state, owner, params }) =>
      page('/v1/disputes', matching(state.all('dispute', owner), { charge: params.charge, payment_intent: params.payment_intent }), params),
  ),
  route('GET', '/v1/disputes/{dispute}', {}, ({ state, owner }, id) => state.ofUrl(owner, 'dispute', id)),
];

function matching<K extends Kind>(objects: Kinds[K][], fields: Record<string, string | undefined>): Kinds[K][] {
  const wanted = Object.entries(fields).filter(([, value]) => value !== undefined);
  return objects.filter((object) => wanted.every(([name, value]) => (object as unknown as Record<string, unknown>)[name] === value));
}
