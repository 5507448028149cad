import * as z from 'zod';
import { webhookEvents } from '../events.ts';
import { Flag, HttpUrl, OptionalPage, oneOf, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { webhookUrl } from '../fields/patterns.ts';
import { defineOperation } from '../http/operation.ts';

const maxEventNames = 100;

const NewUrl = HttpUrl.meta({
  description: 'An https address on the public internet, on port 443 or 8443',
  override: { type: 'string', maxLength: 2048, pattern: webhookUrl },
});
const EventNames = z
  .array(oneOf(webhookEvents), { error: 'must be a list of event names' })
  .min(1, 'must name at least one event')
  .max(maxEventNames, `must have at most ${maxEventNames} names`);

export const Webhook = z
  .object({
    id: Uuid,
    url: z.url().describe('An https address on the public internet'),
    events: z.array(oneOf(webhookEvents)),
    is_active: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: 'Webhook', description: 'An address that receives events' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookWithSecret = Webhook.extend({
  secret: z.string().describe('Verifies deliveries (Standard Webhooks 1.0). It is shown only here: keep it'),
}).meta({ id: 'WebhookWithSecret', description: 'A webhook and the secret that signs what it is sent' });

const tag = 'Webhooks';

export const listWebhooks = defineOperation({
  method: 'GET',
  path: '/webhooks',
  tag,
  summary: "List the organization's webhooks, newest first",
  permission: 'read',
  rpc: 'webhooks.ListWebhooks',
  input: z.object(OptionalPage),
  output: z.object({ webhooks: z.array(Webhook), total: Total }),
  success: 200,
  errors: [],
});

export const WebhookSecret = z
  .object({
    id: Uuid.describe('The id of the webhook'),
    url: z.url(),
    shown_to: Uuid.nullable().describe(
      'The member who was shown the secret that signs now, by making the webhook or by the last rotation, also if it has left; null where that was not recorded',
    ),
  })
  .meta({ id: 'WebhookSecret', description: 'Who knows the signing secret of a webhook; never the secret' });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

/** What a removed member may have kept: its keys and embed clients end with it, these secrets only by a rotation. */
export const listWebhookSecrets = defineOperation({
  method: 'GET',
  path: '/account/webhook-secrets',
  tag,
  summary: 'List which member was shown the signing secret of each webhook, newest webhook first',
  permission: 'read',
  credential: 'session',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'webhooks.ListWebhookSecrets',
  input: z.object(OptionalPage),
  output: z.object({ webhook_secrets: z.array(WebhookSecret), total: Total }),
  success: 200,
  errors: [],
});

export const createWebhook = defineOperation({
  method: 'POST',
  path: '/webhooks',
  tag,
  summary: 'Register an address for events; the answer shows its signing secret, once',
  permission: 'write',
  rpc: 'webhooks.CreateWebhook',
  showsSecret: true,
  input: z.strictObject({ url: NewUrl, events: EventNames }),
  output: z.object({ webhook: WebhookWithSecret }),
  success: 201,
  errors: ['url_not_allowed', 'quota_exceeded'],
});

export const getWebhook = defineOperation({
  method: 'GET',
  path: '/webhooks/{webhookId}',
  tag,
  summary: 'Read one webhook; its secret is never shown again',
  permission: 'read',
  rpc: 'webhooks.GetWebhook',
  output: z.object({ webhook: Webhook }),
  success: 200,
  errors: ['webhook_not_found'],
});

export const updateWebhook = defineOperation({
  method: 'PATCH',
  path: '/webhooks/{webhookId}',
  tag,
  summary: 'Change the fields that the body names',
  description: 'While `is_active` is false nothing is sent; what waited to be sent is skipped, and can be replayed later.',
  permission: 'write',
  rpc: 'webhooks.UpdateWebhook',
  input: z.strictObject({ url: NewUrl, events: EventNames, is_active: Flag }).partial(),
  output: z.object({ webhook: Webhook }),
  success: 200,
  errors: ['webhook_not_found', 'url_not_allowed'],
});

export const deleteWebhook = defineOperation({
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  tag,
  summary: 'Delete a webhook and all its deliveries; what waited to be sent is dropped',
  permission: 'write',
  rpc: 'webhooks.DeleteWebhook',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  errors: ['webhook_not_found'],
});

export const rotateWebhookSecret = defineOperation({
  method: 'POST',
  path: '/webhooks/{webhookId}/rotate-secret',
  tag,
  summary: 'Replace the signing secret; the answer shows the new one, once',
  description: 'For 24 hours deliveries carry a signature by each of the two, so that receivers can change in their own time.',
  permission: 'write',
  rpc: 'webhooks.RotateWebhookSecret',
  showsSecret: true,
  input: z.strictObject({}),
  output: z.object({ webhook: WebhookWithSecret }),
  success: 200,
  errors: ['webhook_not_found'],
});
