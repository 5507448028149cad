import { consume } from '@webkiln/events';
import { dropDeliveries } from '../deliveries/end-deliveries.ts';

/** Deletes what was kept of an endpoint. The writes are safe to repeat, and too many for one transaction. */
export const onWebhookDeleted = () =>
  consume({
    name: 'webhooks-on-webhook-deleted',
    types: ['internal.webhook.deleted'],
    atOnce: 2,
    effect: ({ org_id, data: { webhook_id } }) => dropDeliveries({ org_id }, webhook_id),
  });
