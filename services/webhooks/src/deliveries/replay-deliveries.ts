import { handle } from '@webkiln/rpc';
import { assertActive } from '../endpoints/endpoint.ts';
import { existingEndpoint } from '../endpoints/endpoint-store.ts';
import type { DeliveryStatus } from './delivery.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { requeueRange } from './requeue-store.ts';

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
