import * as z from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { webhookEvents } from './events.ts';
import { HttpUrl, OptionalPage, oneOf, Timestamp, Uuid } from './fields.ts';

const Url = HttpUrl.describe('An https address on the public internet');
export const Webhook = z
  .object({
    id: Uuid,
    url: Url,
    events: z.array(oneOf(webhookEvents)),
    is_active: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: 'Webhook', description: 'An address that is told of events' });
export type Webhook = z.infer<typeof Webhook>;

const tag = 'Webhooks';

export const listWebhooks = defineEndpoint({
  method: 'GET',
  path: '/webhooks',
  tag,
  summary: "List the organization's webhooks, newest first",
  permission: 'read',
  rpc: 'webhooks.ListWebhooks',
  input: z.object(OptionalPage),
  output: z.object({ webhooks: z.array(Webhook), total: z.int() }),
  success: 200,
  errors: [],
});

export const getWebhook = defineEndpoint({
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
