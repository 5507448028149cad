import { consume, consumerOf } from '@webkiln/events';
import { dropDeliveries, skipPending } from '../deliveries/delivery-store.ts';
import { endpointById } from '../endpoints/endpoint-store.ts';

/**
 * Skips the pending deliveries of a deactivated endpoint. The writes are idempotent and too many for one transaction.
 */
export const onWebhookStopped = () =>
  consume({
    ...consumerOf('webhooks-on-webhook-stopped'),
    concurrency: 2,
    transactionalHandler: async ({ org_id, timestamp, data: { webhook_id } }) => {
      const endpoint = await endpointById({ org_id }, webhook_id);
      if (endpoint?.is_active === false) await skipPending({ org_id }, webhook_id, timestamp);
    },
  });

/** Deletes the deliveries of a deleted endpoint. The writes are idempotent and too many for one transaction. */
export const onWebhookDeleted = () =>
  consume({
    ...consumerOf('webhooks-on-webhook-deleted'),
    concurrency: 2,
    transactionalHandler: ({ org_id, data: { webhook_id } }) => dropDeliveries({ org_id }, webhook_id),
  });
