import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { quotaNames } from '@webkiln/messages';
import { outboundConfig } from '@webkiln/outbound';
import { ByteSecrets, dataServiceConfig, originConfig, Port, secret, TextSecrets, wholeNumber } from '@webkiln/runtime';
import { quotaConfig } from '@webkiln/standing/settings';
import * as z from 'zod';
import { erasureConfig } from './erasure/erasure-config.ts';
import { mailLimitsConfig } from './mail-limits/mail-limits-config.ts';

/** Identity's settings, read from the environment once at start. */
export const IdentityConfig = z
  .object({
    ...dataServiceConfig,
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
    AUTH_SECRET: TextSecrets.describe(
      'Sign cookies and links in mails, and encrypt second factors: the first for what is new, each verifies and opens; if they are lost, everyone must sign in again and second factors are lost',
    ).meta(secret),
    KEY_PEPPER: ByteSecrets.describe(
      'Verify stored API keys, embed secrets, sessions and OAuth tokens: the first hashes, each verifies. Keep them as safe as the database, but separate from it',
    ).meta(secret),
  })
  .refine(...mailGoesOut);
export type IdentityConfig = z.output<typeof IdentityConfig>;
