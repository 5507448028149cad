import { randomUUID } from 'node:crypto';
import {
  acrossOrganizations,
  defineModel,
  gatheredById,
  gatheredInsertion,
  gatheredUpdate,
  type Owner,
  type Scope,
  type Stored,
  scoped,
  where,
} from '@webkiln/store';
import type { DeliveryState } from './delivery.ts';

export type DeliveryRecord = Stored<DeliveryState>;

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
    claim: { type: String, default: null },
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
      [{ status: 1, due_at: 1 }, { partialFilterExpression: { status: 'pending' } }],
      [{ status: 1, endpoint_id: 1, due_at: 1, org_id: 1 }, { partialFilterExpression: { status: 'pending' } }],
      [{ expire_at: 1 }, { expireAfterSeconds: 0 }],
    ],
  },
);

/** Adds a delivery; false where the event has one at that endpoint. */
export const addDelivery = gatheredInsertion(DeliveryModel);

/** Which delivery an event has, as far as its id and status; null where it has none. */
export const deliveryStatus = gatheredById(DeliveryModel, ['status']);

const changeDelivery = gatheredUpdate(DeliveryModel);

type Outcome = Pick<DeliveryState, 'status' | 'attempts' | 'attempt_count' | 'due_at' | 'delivered_at'>;

/**
 * Writes what came of an attempt. Nothing changes where another process has taken the delivery over meanwhile; and what was skipped
 * meanwhile stays so, unless it got through.
 */
export function saveOutcome(scope: Scope, _id: string, claim: string, outcome: Outcome): Promise<void> {
  const delivery = outcome.status === 'delivered' ? { _id, claim } : { _id, claim, status: 'pending' as const };
  return changeDelivery(scope, delivery, { $set: { ...outcome, claim: null } });
}

/** Gives a delivery back that was taken and not finished: it is due at once. */
export const releaseDelivery = (scope: Scope, _id: string, claim: string, now: Date): Promise<void> =>
  changeDelivery(scope, { _id, claim, status: 'pending' }, { $set: { due_at: now, claim: null } });

/**
 * Takes up to `most` due deliveries of an endpoint, those first that wait longest, for this process alone until `until`; then they are due
 * again, whatever became of the process.
 */
export async function claimDue(scope: Scope, endpoint_id: string, most: number, now: Date, until: Date): Promise<DeliveryRecord[]> {
  const deliveries = scoped(DeliveryModel, scope);
  const due = { endpoint_id, status: 'pending' as const, due_at: where<Date | null>({ $lte: now }) };
  const found = await deliveries.find(due, { fields: ['due_at'], sort: { due_at: 1 }, limit: most });
  if (found.length === 0) return [];
  const claim = randomUUID();
  const ids = where({ $in: found.map(({ _id }) => _id) });
  await deliveries.updateMany({ _id: ids, ...due }, { $set: { claim, due_at: until } });
  return deliveries.find({ _id: ids, claim });
}

const across = acrossOrganizations(DeliveryModel);

/** When the first delivery is due, of those later than `after`; null when none is. */
export const nextDue = (after = new Date(0)): Promise<Date | null> =>
  across.least('due_at', { status: 'pending', due_at: where<Date | null>({ $gt: after }) });

/** The endpoints that have due deliveries, each with its organization. It is read off an index, however many deliveries there are. */
export const endpointsDue = (now: Date): Promise<Owner[]> =>
  across.owners('endpoint_id', 'due_at', { status: 'pending', due_at: where<Date | null>({ $lte: now }) });

/** How many deliveries wait for an attempt; counting ends at `most`. */
export const pendingCount = (most: number): Promise<number> => across.count({ status: 'pending' }, most);
