import type Stripe from 'stripe';

/** The content of `error` in an answer that refuses. */
export interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  code?: string;
  decline_code?: string;
  message: string;
  param?: string;
  charge?: string;
  doc_url?: string;
  payment_intent?: Stripe.PaymentIntent;
  payment_method?: Stripe.PaymentMethod;
}

/** A request that Stripe refuses. */
export class StripeFailure extends Error {
  override readonly name = 'StripeFailure';
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body.code === undefined ? body : { ...body, doc_url: docUrl(body.code) };
  }
}

export const docUrl = (code: string): string => `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;

/** A request that is wrong by its parameters or by the state of its objects: 400. */
export function invalidRequest(message: string, details: Partial<ErrorBody> = {}): StripeFailure {
  return new StripeFailure(400, { type: 'invalid_request_error', message, ...details });
}

/** An object of the URL that is unknown is a 404, one that a parameter names a 400. */
export function resourceMissing(kind: string, id: string, param: string, isInUrl: boolean): StripeFailure {
  const message = `No such ${kind}: '${id}'`;
  return new StripeFailure(isInUrl ? 404 : 400, { type: 'invalid_request_error', code: 'resource_missing', message, param });
}

/** An account that is unknown, or not connected to the platform: 403. */
export function accountInvalid(secretKey: string, account: string): StripeFailure {
  const key = `${secretKey.slice(0, 8)}${'*'.repeat(12)}${secretKey.slice(-4)}`;
  return new StripeFailure(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: `The provided key '${key}' does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
  });
}

export const internalError = (): StripeFailure =>
  new StripeFailure(500, { type: 'api_error', message: 'An unknown error occurred. Please try again.' });

export const rateLimited = (): StripeFailure =>
  new StripeFailure(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded. Learn more about rate limits here https://docs.stripe.com/rate-limits.',
  });
