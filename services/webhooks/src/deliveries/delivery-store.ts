import { defineModel } from '@webkiln/store';
import type { DeliveryState } from './delivery.ts';

/**
 * The list of an endpoint is read off an index in its order, and filtered in it. What waits is few and has indexes of its own: by
 * endpoint for those who stop it, by due time for the dispatcher.
 */
export const DeliveryModel = defineModel<DeliveryState>(
  'deliveries',
  {
    endpoint_id: { type: String, required: true },
    event_id: { type: String, required: true },
    event_type: { type: String, required: true },
    body: { type: String, required: true },
    status: { type: String, required: true },
    attempts: {
      type: [{ _id: false, at: String, status_code: Number, latency_ms: Number, response: String, reason: String }],
      default: [],
    },
    attempt_count: { type: Number, required: true },
    due_at: { type: Date, default: null },
    claimed_until: { type: Date, default: null },
    created_at: { type: String, required: true },
    delivered_at: { type: String, default: null },
    expire_at: { type: Date, required: true },
  },
  {
    indexes: [
      [{ org_id: 1, endpoint_id: 1, created_at: -1, _id: 1, status: 1, event_type: 1 }],
      [
        { org_id: 1, endpoint_id: 1, status: 1, created_at: -1, _id: 1 },
        { partialFilterExpression: { status: { $in: ['pending', 'failed', 'skipped'] } } },
      ],
    ],
    indexesAcross: [
      [{ status: 1, endpoint_id: 1, due_at: 1 }, { partialFilterExpression: { status: 'pending' } }],
      [{ expire_at: 1 }, { expireAfterSeconds: 0 }],
    ],
  },
);
