import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertActive } from '../endpoints/endpoint.ts';
import { endpointById } from '../endpoints/endpoint-store.ts';
import { toDelivery } from './delivery.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { requeue } from './requeue-store.ts';
import { shownDelivery } from './shown-delivery-store.ts';

/** A retried call changes nothing: the delivery is pending already. */
export const retryDelivery = ({ retentionMs, pollBy }: DeliveryParts) =>
  handle('webhooks.RetryDelivery', async ({ webhook_id, delivery_id }, caller) => {
    const endpoint = await endpointById(caller, webhook_id);
    if (endpoint === null) throw new AppError('delivery_not_found');
    await shownDelivery(caller, webhook_id, delivery_id);
    assertActive(endpoint);
    const now = new Date();
    await requeue(caller.principal, delivery_id, now, retentionMs);
    const delivery = await shownDelivery(caller, webhook_id, delivery_id);
    pollBy(now);
    return { delivery: toDelivery(delivery) };
  });
