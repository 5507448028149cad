import { handle } from '@webkiln/rpc';
import { assertActive } from '../endpoints/endpoint.ts';
import { existingEndpoint } from '../endpoints/endpoint-store.ts';
import type { DeliveryStatus } from './delivery.ts';
import type { DeliveryParts } from './delivery-parts.ts';
import { requeueRange } from './requeue-store.ts';

const most = 10_000;
/** What is left of a call's time when it must answer. */
const answerMs = 3_000;
const missed: readonly DeliveryStatus[] = ['failed', 'skipped'];

/** Asked twice it does once, but for what got through in between and was asked for as `delivered`. */
export const replayDeliveries = ({ retentionMs, dueAt }: DeliveryParts) =>
  handle('webhooks.ReplayDeliveries', async ({ webhook_id, after, before, status }, caller) => {
    assertActive(await existingEndpoint(caller, webhook_id));
    const now = new Date();
    const range = {
      endpointId: webhook_id,
      statuses: status === undefined ? missed : [status as DeliveryStatus],
      after: new Date(after).toISOString(),
      before: (before === undefined ? now : new Date(before)).toISOString(),
    };
    const { queued, next } = await requeueRange(caller, range, retentionMs, { most, until: caller.deadlineAt - answerMs });
    if (queued > 0) dueAt(now);
    return { queued, next_after: next };
  });
