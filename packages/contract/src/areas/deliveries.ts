import * as z from 'zod';
import { WebhookEventType, webhookEvents } from '../events.ts';
import { CreatedAt, filter, Moment, moment, oneOf, Page, RecordId, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { hints } from '../http/parameter-warnings.ts';

export const DeliveryStatus = oneOf(['pending', 'delivered', 'failed', 'skipped']).meta({
  id: 'DeliveryStatus',
  description:
    '`pending`: an attempt is to come or under way; `delivered`: the receiver answered 2xx; `failed`: no attempt is left; `skipped`: the webhook was switched off',
});

export const DeliveryAttempt = z
  .object({
    at: Timestamp.describe('When the request was sent, ISO 8601 in UTC'),
    status_code: z.int().nullable().describe('The HTTP status that the receiver answered; null where it did not answer'),
    latency_ms: z.int().describe('Milliseconds until the receiver had answered, or until it failed'),
    response: z.string().nullable().describe('The first kilobyte of what the receiver answered; null where it did not'),
    reason: z.string().nullable().describe('Why it failed, in words; null where it did not'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One request to the receiver, and what came of it' });

export const Delivery = z
  .object({
    id: RecordId,
    webhook_id: Uuid.describe('The webhook that it is for'),
    event_id: Uuid.describe('The webhook-id header, the same on every attempt'),
    event: WebhookEventType,
    status: DeliveryStatus,
    attempts: z.array(DeliveryAttempt).describe('The last 20, oldest first'),
    next_attempt_at: Timestamp.nullable().describe(
      'When it is sent next, ISO 8601 in UTC; null where no attempt is to come, or one is under way',
    ),
    created_at: CreatedAt,
    delivered_at: Timestamp.nullable().describe('When the receiver answered 2xx, ISO 8601 in UTC; null until then'),
  })
  .meta({ id: 'Delivery', description: 'What became of an event at a webhook' });
export type Delivery = z.infer<typeof Delivery>;

export const SentHeader = z
  .object({ name: z.string().describe('The name of the header, in lower case'), value: z.string().describe('Its value') })
  .meta({ id: 'SentHeader', description: 'A header of a request' });

export const DeliveryRequest = z
  .object({
    headers: z
      .array(SentHeader)
      .describe(
        'Those of every attempt, with the `webhook-timestamp` of the newest; each has its own, which is the second of its `at`. `webhook-signature` is not kept: it follows from the others and the secret',
      ),
    body: z.string().nullable().describe('The exact text that is signed and sent; null where it is no longer kept'),
  })
  .meta({ id: 'DeliveryRequest', description: 'What the receiver is sent, to the byte' });

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
  description:
    'Deliveries are kept for 30 days. Each has its last 20 attempts; the body and headers are in GET /webhooks/{webhookId}/deliveries/{deliveryId}.',
  permission: 'read',
  rpc: 'webhooks.ListDeliveries',
  input: z.object({
    ...Page,
    status: filter(...DeliveryStatus.options).describe(
      'Only deliveries with this status: `pending`, `delivered`, `failed` or `skipped`; another text yields an empty list',
    ),
    event: eventFilter.describe('Only deliveries of this event, such as `client.created`'),
    after: time.describe('Only deliveries that were made from this moment on, ISO 8601'),
    before: time.describe('Only deliveries that were made before this moment, ISO 8601'),
  }),
  output: z.object({
    deliveries: z.array(Delivery).describe('The deliveries of this page, newest first; empty if none matches'),
    total: Total,
  }),
  success: 200,
  errors: ['webhook_not_found'],
});

export const getDelivery = defineOperation({
  method: 'GET',
  path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
  tag,
  summary: 'Read one delivery: its attempts, and the body and headers that are sent',
  description: 'What is signed and sent, to the byte, to compare with what your program received.',
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
const ReplayedStatus = oneOf(['failed', 'skipped', 'delivered']).meta({
  id: 'ReplayedStatus',
  description: 'The deliveries that a replay sends again',
});

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
      .max(maxChosen, `must name at most ${maxChosen} deliveries`)
      .describe('The deliveries, 1 to 100 ids from the list of deliveries of this webhook'),
  }),
  output: z.object({ queued: z.int().describe('How many are to be sent again') }),
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
  input: z.strictObject({
    after: Moment.describe('From this moment on, by when the deliveries were made, ISO 8601 with a time zone'),
    before: Moment.optional().describe('Before this moment, ISO 8601 with a time zone; without it up to now'),
    status: ReplayedStatus.optional().describe(
      'Only deliveries with this status; without it those that failed and those that were skipped',
    ),
  }),
  output: z.object({
    queued: z.int().describe('How many are to be sent again'),
    next_after: Timestamp.nullable().describe('There are more: ask again with this as `after`. Null when all are queued'),
  }),
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
  input: z.strictObject({
    event: WebhookEventType.optional().describe('The event to send a sample of; without it the first one that the webhook subscribes to'),
  }),
  output: z.object({ delivery: Delivery }),
  success: 200,
  etag: false,
  errors: ['webhook_not_found', 'webhook_inactive'],
});
