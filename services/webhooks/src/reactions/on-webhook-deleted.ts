import { consume, consumerOf } from '@webkiln/events';
import { dropDeliveries } from '../deliveries/end-deliveries.ts';

/** Deletes the deliveries of a deleted endpoint. The writes are idempotent and too many for one transaction. */
export const onWebhookDeleted = () =>
  consume({
    ...consumerOf('webhooks-on-webhook-deleted'),
    concurrency: 2,
    transactionalHandler: ({ org_id, data: { webhook_id } }) => dropDeliveries({ org_id }, webhook_id),
  });
