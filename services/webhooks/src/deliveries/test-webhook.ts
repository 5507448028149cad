import { publicEvents, type WebhookEvent } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { Sender } from '../dispatch/sender.ts';
import { assertActive } from '../endpoints/endpoint.ts';
import { existingEndpoint } from '../endpoints/endpoint-store.ts';
import { toDelivery } from './delivery.ts';
import type { DeliveryParts } from './delivery-parts.ts';

/** The response is sent this long before the call's deadline. */
const responseMarginMs = 1_000;

/** A test delivery is not stored and does not affect the endpoint's health record. */
export const testWebhook = ({ outbound, secrets, timeoutMs }: DeliveryParts) =>
  handle('webhooks.TestWebhook', async ({ webhook_id, event }, caller) => {
    const endpoint = await existingEndpoint(caller, webhook_id);
    assertActive(endpoint);
    const now = new Date();
    const type = (event as WebhookEvent | undefined) ?? endpoint.events[0] ?? 'client.created';
    const sample = sampleEvent(type, { id: newId(caller, 'event'), org_id: endpoint.org_id, timestamp: now.toISOString() });
    const attemptTimeoutMs = Math.max(1, Math.min(timeoutMs, caller.deadlineAt - responseMarginMs - now.getTime()));
    const { attempt, succeeded, endedAt } = await new Sender(outbound, secrets, attemptTimeoutMs).send(
      endpoint,
      sample.id,
      JSON.stringify(sample),
    );
    const delivery = toDelivery({
      _id: newId(caller, 'delivery'),
      endpoint_id: webhook_id,
      event_id: sample.id,
      event_type: type,
      status: succeeded ? 'delivered' : 'failed',
      attempts: [attempt],
      claim: null,
      due_at: null,
      created_at: sample.timestamp,
      delivered_at: succeeded ? new Date(endedAt).toISOString() : null,
    });
    return { delivery };
  });

/** A test event: like a real one, but with sample data and `test: true`. */
export const sampleEvent = (type: WebhookEvent, { id, org_id, timestamp }: { id: string; org_id: string; timestamp: string }) => ({
  id,
  type,
  timestamp,
  org_id,
  api_version: 'v1' as const,
  data: publicEvents[type].sample({ org_id, at: timestamp }),
  test: true as const,
});
