import { consume, consumerOf } from '@webkiln/events';
import { skipPending } from '../deliveries/end-deliveries.ts';
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
