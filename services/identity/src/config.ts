import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { quotaNames } from '@webkiln/messages';
import { outboundConfig } from '@webkiln/outbound';
import {
  ByteSecrets,
  baseConfig,
  eventsConfig,
  originConfig,
  Port,
  rpcServerConfig,
  secret,
  storeConfig,
  wholeNumber,
} from '@webkiln/runtime';
import { quotaConfig } from '@webkiln/standing/settings';
import * as z from 'zod';
import { erasureConfig } from './erasure/erasure-config.ts';
import { mailLimitsConfig } from './mail-limits/mail-limits-config.ts';

/** Identity's settings, read from the environment once at start. */
export const IdentityConfig = z
  .object({
    ...baseConfig,
    ...storeConfig,
    ...eventsConfig,
    ...rpcServerConfig,
    ...mailConfig,
    ...mailLimitsConfig,
    ...quotaConfig(quotaNames),
    ...erasureConfig,
    ...outboundConfig,
    HTTP_PORT: Port,
    OAUTH_MAX_UNUSED_CLIENTS: wholeNumber(1, 1_000_000)
      .default(10_000)
      .describe('Registrations of agents that no person has connected, over all networks; beyond it the oldest are deleted'),
    ORIGIN: originConfig.ORIGIN,
    AUTH_SECRET: z
      .string({ error: 'must have at least 32 characters' })
      .min(32, 'must have at least 32 characters')
      .describe(
        'Signs cookies and links in mails, and encrypts second factors; if it is lost, everyone must sign in again and second factors are lost',
      )
      .meta(secret),
    KEY_PEPPER: ByteSecrets.describe(
      'Verify stored API keys, embed secrets, sessions and OAuth tokens: the first hashes, each verifies. Keep them as safe as the database, but separate from it',
    ).meta(secret),
  })
  .refine(...mailGoesOut);
export type IdentityConfig = z.output<typeof IdentityConfig>;
