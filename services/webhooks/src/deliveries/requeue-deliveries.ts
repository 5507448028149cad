import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertActive } from '../endpoints/endpoint.ts';
import { endpointById, existingEndpoint } from '../endpoints/endpoint-store.ts';
import { type DeliveryStatus, toDelivery } from './delivery.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { deliveryCount, shownDelivery } from './delivery-store.ts';
import { requeue, requeueChosen, requeueRange } from './requeue-store.ts';

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

/** A retried call changes nothing, as for one delivery. */
export const retryDeliveries = ({ retentionMs, replaysPerSecond: perSecond, pollBy }: DeliveryParts) =>
  handle('webhooks.RetryDeliveries', async ({ webhook_id, delivery_ids }, caller) => {
    const endpoint = await existingEndpoint(caller, webhook_id);
    const ids = [...new Set(delivery_ids)];
    if ((await deliveryCount(caller, webhook_id, ids)) < ids.length) throw new AppError('delivery_not_found');
    assertActive(endpoint);
    const { queued, begin } = await requeueChosen(caller.principal, ids, { retentionMs, perSecond });
    if (queued > 0) pollBy(begin);
    return { queued };
  });

const maxReplayed = 10_000;
/** The response is sent this long before the call's deadline. */
const responseMarginMs = 3_000;
const undelivered: readonly DeliveryStatus[] = ['failed', 'skipped'];

/**
 * A retried call queues nothing twice, except deliveries that succeeded in between where `delivered` was requested.
 */
export const replayDeliveries = ({ retentionMs, replaysPerSecond, pollBy }: DeliveryParts) =>
  handle('webhooks.ReplayDeliveries', async ({ webhook_id, after, before, status }, caller) => {
    assertActive(await existingEndpoint(caller, webhook_id));
    const now = new Date();
    const range = {
      endpointId: webhook_id,
      statuses: status === undefined ? undelivered : [status as DeliveryStatus],
      after: new Date(after).toISOString(),
      before: (before === undefined ? now : new Date(before)).toISOString(),
    };
    const { queued, next, begin } = await requeueRange(caller.principal, range, retentionMs, {
      max: maxReplayed,
      perSecond: replaysPerSecond,
      until: caller.deadlineAt - responseMarginMs,
    });
    if (queued > 0) pollBy(begin);
    return { queued, next_after: next };
  });
