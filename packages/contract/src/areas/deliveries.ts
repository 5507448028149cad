import * as z from 'zod';
import { webhookEvents } from '../events.ts';
import { filter, Moment, moment, oneOf, Page, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { hints } from '../http/parameter-warnings.ts';

export const DeliveryStatus = oneOf(['pending', 'delivered', 'failed', 'skipped']);

export const DeliveryAttempt = z
  .object({
    at: Timestamp,
    status_code: z.int().nullable().describe('Null where the receiver did not answer'),
    latency_ms: z.int(),
    response: z.string().nullable().describe('The first kilobyte of the answer'),
    reason: z.string().nullable().describe('Why it failed, in words'),
  })
  .meta({ id: 'DeliveryAttempt' });

export const Delivery = z
  .object({
    id: Uuid,
    webhook_id: Uuid,
    event_id: Uuid.describe('The webhook-id header, the same on every attempt'),
    event: oneOf(webhookEvents),
    status: DeliveryStatus,
    attempts: z.array(DeliveryAttempt).describe('The last 20, oldest first'),
    next_attempt_at: Timestamp.nullable().describe('Null where none is to come, or one is under way'),
    created_at: Timestamp,
    delivered_at: Timestamp.nullable(),
  })
  .meta({ id: 'Delivery', description: 'What became of an event at a webhook' });
export type Delivery = z.infer<typeof Delivery>;

export const SentHeader = z.object({ name: z.string(), value: z.string() }).meta({ id: 'SentHeader' });

export const DeliveryRequest = z
  .object({
    headers: z
      .array(SentHeader)
      .describe(
        'Those of every attempt, with the `webhook-timestamp` of the newest; each has its own, which is the second of its `at`. `webhook-signature` is not kept: it follows from the others and the secret',
      ),
    body: z.string().nullable().describe('The exact text that is signed and sent; null where it is no longer kept'),
  })
  .meta({ id: 'DeliveryRequest' });

export const DeliveryWithRequest = Delivery.extend({ request: DeliveryRequest }).meta({
  id: 'DeliveryWithRequest',
  description: 'A delivery, with what the receiver is sent',
});

const tag = 'Webhooks';
const time = moment();
const names: ReadonlySet<string> = new Set(webhookEvents);
const eventFilter = z
  .string()
  .optional()
  .register(hints, { of: (text) => (names.has(text) ? undefined : 'takes the name of an event such as client.created') });

export const listDeliveries = defineOperation({
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries',
  tag,
  summary: 'List what became of events at a webhook, newest first',
  permission: 'read',
  rpc: 'webhooks.ListDeliveries',
  input: z.object({
    ...Page,
    status: filter(...DeliveryStatus.options).describe(DeliveryStatus.options.join(', ')),
    event: eventFilter.describe('The name of an event'),
    after: time.describe('From this moment on, ISO 8601'),
    before: time.describe('Before this moment, ISO 8601'),
  }),
  output: z.object({ deliveries: z.array(Delivery), total: Total }),
  success: 200,
  errors: ['webhook_not_found'],
});

export const getDelivery = defineOperation({
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
  tag,
  summary: 'Read one delivery: its attempts, and the body and headers that are sent',
  permission: 'read',
  rpc: 'webhooks.GetDelivery',
  output: z.object({ delivery: DeliveryWithRequest }),
  success: 200,
  etag: false,
  errors: ['delivery_not_found'],
});

export const retryDelivery = defineOperation({
  method: 'POST',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}/retry',
  tag,
  summary: 'Send a delivery again, now, whatever became of it',
  description: 'The schedule of attempts begins anew. What waits for its next attempt gets it now; one that is under way is left to end.',
  permission: 'write',
  rpc: 'webhooks.RetryDelivery',
  input: z.strictObject({}),
  output: z.object({ delivery: Delivery }),
  success: 202,
  etag: false,
  errors: ['delivery_not_found', 'webhook_inactive'],
});

const maxChosen = 100;

export const retryDeliveries = defineOperation({
  method: 'POST',
  path: '/webhooks/{webhookId}/retry',
  tag,
  summary: 'Send chosen deliveries again, whatever became of them',
  description:
    'As for one delivery, at the pace of a replay. Each keeps its `webhook-id`, so that a receiver which has handled the event knows it. One that is under way is left to end, and does not count as queued.',
  permission: 'write',
  rpc: 'webhooks.RetryDeliveries',
  input: z.strictObject({
    delivery_ids: z
      .array(Uuid, { error: 'must be a list of ids' })
      .min(1, 'must name at least one delivery')
      .max(maxChosen, `must name at most ${maxChosen} deliveries`),
  }),
  output: z.object({ queued: z.int() }),
  success: 202,
  etag: false,
  errors: ['webhook_not_found', 'delivery_not_found', 'webhook_inactive'],
});

export const replayDeliveries = defineOperation({
  method: 'POST',
  path: '/webhooks/{webhookId}/replay',
  tag,
  summary: 'Send again what came in a range of time and did not get through',
  description:
    'Without `status` what failed and what was skipped is sent, oldest first. At most 10,000 are queued at once: while `next_after` is not null there are more, and asking again with it as `after` goes on.',
  permission: 'write',
  rpc: 'webhooks.ReplayDeliveries',
  input: z.strictObject({ after: Moment, before: Moment.optional(), status: oneOf(['failed', 'skipped', 'delivered']).optional() }),
  output: z.object({ queued: z.int(), next_after: Timestamp.nullable() }),
  success: 202,
  etag: false,
  errors: ['webhook_not_found', 'webhook_inactive'],
});

export const testWebhook = defineOperation({
  method: 'POST',
  path: '/webhooks/{webhookId}/test',
  tag,
  summary: 'Send a sample event at once; the answer says what came of it',
  description:
    'One attempt, signed like any other, its body marked `"test": true`. Without `event` it is the first one that the webhook subscribes to. A test is in no list and is never repeated.',
  permission: 'write',
  rpc: 'webhooks.TestWebhook',
  input: z.strictObject({ event: oneOf(webhookEvents).optional() }),
  output: z.object({ delivery: Delivery }),
  success: 200,
  etag: false,
  errors: ['webhook_not_found', 'webhook_inactive'],
});
