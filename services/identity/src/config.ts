import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { maxQuota, quotaNames } from '@webkiln/messages';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { outboundConfig } from '@webkiln/outbound';
import { ByteSecrets, dataServiceConfig, originConfig, Port, secret, TextSecrets, wholeNumber } from '@webkiln/runtime';
import * as z from 'zod';
import type { RecipientLimits } from './mails/mail-admission.ts';
import { defaultPasswordCost } from './sign-in/password.ts';

/** The largest limit of mails for one recipient. */
const maxPerRecipient = 1_000;
/** More than two seconds, for which a service may not know of the erasure, and a write. */
const minQuietMs = 3_000;

/** Identity's settings, read from the environment once at start. */
export const IdentityConfig = z
  .object({
    ...dataServiceConfig,
    ...mailConfig,
    MAILS_PER_RECIPIENT_HOUR: wholeNumber(1, maxPerRecipient)
      .default(3)
      .describe('Mails of one purpose; those that the recipient asked for are counted apart'),
    MAILS_PER_RECIPIENT_DAY: wholeNumber(1, maxPerRecipient)
      .default(10)
      .describe('Mails of all purposes; those that the recipient asked for are counted apart'),
    FORM_MAILS_PER_RECIPIENT_HOUR: wholeNumber(1, maxPerRecipient)
      .default(60)
      .describe('Form mails to a recipient with a verified account'),
    FORM_MAILS_PER_RECIPIENT_DAY: wholeNumber(1, maxPerRecipient)
      .default(300)
      .describe('Form mails to a recipient with a verified account'),
    QUOTA_MAILS_NEW: wholeNumber(0, maxQuota)
      .default(20)
      .describe('How many mails a day an organization may have in its first 72 hours, unless an operator has set its own limit'),
    ...quotaConfig(quotaNames),
    ERASE_AFTER_DAYS: wholeNumber(0, 3650)
      .default(30)
      .describe('How many days a deleted organization can be restored, before it is erased'),
    ERASURE_POLL_MS: wholeNumber(10, 3600_000).default(60_000).describe('How often erasures that are due go on'),
    ERASURE_QUIET_MS: wholeNumber(minQuietMs, 3600_000)
      .default(120_000)
      .describe('How long after all services refuse records of an organization its last round begins; longer than any write takes'),
    ...outboundConfig,
    HTTP_PORT: Port.describe('The port that the gateway forwards to'),
    PASSWORD_COST: wholeNumber(10, 17)
      .default(defaultPasswordCost)
      .describe(
        'The cost of hashes of new passwords: N of scrypt as a power of two. One more doubles the time and memory of each; less is for tests',
      ),
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

/** Mails that one recipient gets, of all organizations. */
export const recipientLimits = (config: IdentityConfig): RecipientLimits => ({
  mails: { perHour: config.MAILS_PER_RECIPIENT_HOUR, perDay: config.MAILS_PER_RECIPIENT_DAY },
  agreedForms: { perHour: config.FORM_MAILS_PER_RECIPIENT_HOUR, perDay: config.FORM_MAILS_PER_RECIPIENT_DAY },
});
