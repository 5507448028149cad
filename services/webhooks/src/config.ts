import { mailConfig, mailGoesOut } from '@webkiln/mail';
import { quotaConfig } from '@webkiln/org-policy/settings';
import { outboundConfig } from '@webkiln/outbound';
import { addressesOf } from '@webkiln/rpc';
import { dataServiceConfig, rpcClientConfig, secret, wholeNumber } from '@webkiln/runtime';
import { Keyring } from '@webkiln/sealing';
import * as z from 'zod';
import { dispatchConfig } from './dispatch/dispatch-config.ts';

const minKeyBytes = 32;
const keysError = 'must list id:key with commas between, keys as base64 of at least 32 bytes, each id once';

const SecretKeys = z.string({ error: keysError }).transform((list, context): Keyring => {
  const entries = list.split(',').map((entry) => /^(?<id>[\w-]+):(?<key>[A-Za-z0-9+/]+={0,2})$/.exec(entry)?.groups);
  const keys = new Map<string, Uint8Array>();
  for (const entry of entries) {
    const key = Buffer.from(entry?.key ?? '', 'base64');
    if (entry?.id !== undefined && key.length >= minKeyBytes) keys.set(entry.id, key);
  }
  if (keys.size === entries.length) return new Keyring(keys);
  context.addIssue(keysError);
  return z.NEVER;
});

/** The service's environment variables, read once at start. */
export const WebhooksConfig = z
  .object({
    ...dataServiceConfig,
    ...rpcClientConfig,
    ...addressesOf('webhooks'),
    ...mailConfig,
    ...outboundConfig,
    ...dispatchConfig,
    WEBHOOK_SECRET_KEYS: SecretKeys.describe(
      'Encrypt the signing secrets: the first key encrypts, all keys decrypt. Keep them as safe as the database, but separate from it',
    ).meta(secret),
    ...quotaConfig(['events', 'webhooks']),
    WEBHOOK_REPLAYS_PER_SECOND: wholeNumber(1, 10_000)
      .default(100)
      .describe('How many replayed deliveries of an organization become due in one second'),
  })
  .refine(...mailGoesOut);
export type WebhooksConfig = z.output<typeof WebhooksConfig>;
