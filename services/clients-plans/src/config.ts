import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, originConfig, rpcClientConfig, secret, TextSecrets } from '@webkiln/runtime';
import * as z from 'zod';

/** The settings of clients-plans, read from the environment once at start. */
export const ClientsPlansConfig = z
  .object({
    ...dataServiceConfig,
    ...rpcClientConfig,
    ...addressesOf('clients-plans'),
    ...quotaConfig(['events', 'clients']),
    ORIGIN: originConfig.ORIGIN,
    INVITATION_SECRET: TextSecrets.describe('Sign activation links: the first signs, each verifies').meta(secret),
    STRIPE_SECRET_KEY: z.string().min(1).optional().describe("The operator's key at Stripe; without it no cards are taken").meta(secret),
    STRIPE_WEBHOOK_SECRET: TextSecrets.optional()
      .describe('Of the endpoint at Stripe for events of connected accounts; the first is the newest, each verifies')
      .meta(secret),
    STRIPE_FEE_PERCENT: z.coerce
      .number()
      .min(0)
      .max(50)
      .multipleOf(0.001)
      .default(0)
      .describe('The share of each card payment that the operator keeps, in percent'),
    STRIPE_API_URL: z
      .url({ protocol: /^https?$/ })
      .default('https://api.stripe.com')
      .describe('The address of the API of Stripe'),
    ...mailConfig,
  })
  .refine(...mailGoesOut)
  .refine(({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }) => (STRIPE_SECRET_KEY === undefined) === (STRIPE_WEBHOOK_SECRET === undefined), {
    path: ['STRIPE_WEBHOOK_SECRET'],
    error: 'and STRIPE_SECRET_KEY must be set together',
  });
export type ClientsPlansConfig = z.output<typeof ClientsPlansConfig>;
