import * as z from 'zod';
import { WebhookEventType } from '../events.ts';
import { CreatedAt, Deleted, Flag, HttpUrl, OptionalPage, RecordId, Total, Uuid } from '../fields/fields.ts';
import { webhookUrl } from '../fields/patterns.ts';
import { defineOperation } from '../http/operation.ts';

const maxEventNames = 100;

const NewUrl = HttpUrl.meta({
  description: 'An https address on the public internet, on port 443 or 8443',
  override: { type: 'string', maxLength: 2048, pattern: webhookUrl },
});
const EventNames = z
  .array(WebhookEventType, { error: 'must be a list of event names' })
  .min(1, 'must name at least one event')
  .max(maxEventNames, `must have at most ${maxEventNames} names`)
  .describe('The events to send, 1 to 100 names');

export const Webhook = z
  .object({
    id: RecordId,
    url: z.url().describe('An https address on the public internet'),
    events: z.array(WebhookEventType).describe('The events that it is sent'),
    is_active: z.boolean().describe('False: nothing is sent to it, until it is switched on again'),
    created_at: CreatedAt,
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
  description: 'Without their secrets. Without `limit` and `offset` all of them, which are at most 50 unless an operator allows more.',
  permission: 'read',
  rpc: 'webhooks.ListWebhooks',
  input: z.object(OptionalPage),
  output: z.object({ webhooks: z.array(Webhook).describe('The webhooks, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const WebhookSecret = z
  .object({
    id: Uuid.describe('The id of the webhook'),
    url: z.url().describe('The address of the webhook'),
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
  description: 'For the day when a member leaves: a secret that it was shown still verifies, until it is rotated.',
  permission: 'read',
  area: 'members',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'webhooks.ListWebhookSecrets',
  input: z.object(OptionalPage),
  output: z.object({
    webhook_secrets: z.array(WebhookSecret).describe('One row for each webhook, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const createWebhook = defineOperation({
  method: 'POST',
  path: '/webhooks',
  tag,
  summary: 'Register an address for events; the answer shows its signing secret, once',
  description:
    'The address must be https, on port 443 or 8443, and on the public internet. Keep the secret where you keep passwords: it is needed to check that a delivery comes from us.',
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
  description: 'A webhook of another organization answers 404, like one that does not exist.',
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
  input: z
    .strictObject({
      url: NewUrl,
      events: EventNames,
      is_active: Flag.describe(
        'False pauses it; true switches it on again, also one that was switched off because its address answered 410',
      ),
    })
    .partial(),
  output: z.object({ webhook: Webhook }),
  success: 200,
  errors: ['webhook_not_found', 'url_not_allowed'],
});

export const deleteWebhook = defineOperation({
  method: 'DELETE',
  path: '/webhooks/{webhookId}',
  tag,
  summary: 'Delete a webhook and all its deliveries; what waited to be sent is dropped',
  description: 'To pause it instead set `is_active` to false.',
  permission: 'write',
  rpc: 'webhooks.DeleteWebhook',
  output: Deleted,
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
