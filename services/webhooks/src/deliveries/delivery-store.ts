import { AppError } from '@webkiln/contract';
import {
  acrossOrganizations,
  batchedById,
  batchedInsert,
  batchedUpdate,
  coalescedPage,
  defineModel,
  type Owner,
  type Scope,
  type Stored,
  scoped,
  type Tenant,
  where,
} from '@webkiln/store';
import type { DeliveryState } from './delivery.ts';

export type DeliveryRecord = Stored<DeliveryState>;

/**
 * One index serves an endpoint's list in its order, filters included. Pending deliveries are few and have partial
 * indexes: by endpoint for skipping them, by due time for the dispatcher.
 */
export const DeliveryModel = defineModel<DeliveryState>(
  'deliveries',
  {
    endpoint_id: { type: String, required: true },
    event_id: { type: String, required: true },
    event_type: { type: String, required: true },
    body: { type: String, default: null },
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
    exportedAs: null,
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

/** Nobody waits for a new delivery but its event on the stream. */
export const deliveryLingerMs = 25;

/** Adds a delivery; false if the event has one for this endpoint already. */
export const addDelivery = batchedInsert(DeliveryModel, { lingerMs: deliveryLingerMs });

/** The id and status of an event's delivery; null if there is none. */
export const deliveryStatus = batchedById(DeliveryModel, ['status']);

const changeDelivery = batchedUpdate(DeliveryModel);

type Outcome = Pick<DeliveryState, 'status' | 'attempts' | 'attempt_count' | 'due_at' | 'delivered_at'>;

/**
 * Writes the outcome of an attempt. Nothing changes if another process has claimed the delivery since. A delivery that
 * was skipped in the meantime stays skipped, unless the attempt succeeded.
 */
export function saveOutcome(scope: Scope, _id: string, claim: string, outcome: Outcome): Promise<void> {
  const delivery = outcome.status === 'delivered' ? { _id, claim } : { _id, claim, status: 'pending' as const };
  return changeDelivery(scope, delivery, { $set: { ...outcome, claim: null } });
}

/** Releases a claimed delivery without an outcome: it is due at once. */
export const releaseDelivery = (scope: Scope, _id: string, claim: string, now: Date): Promise<void> =>
  changeDelivery(scope, { _id, claim, status: 'pending' }, { $set: { due_at: now, claim: null } });

/** Lets a claim expire at `until`: another process takes the delivery over. Until then its outcome can be saved. */
export const expireClaim = (scope: Scope, _id: string, claim: string, until: Date): Promise<void> =>
  changeDelivery(scope, { _id, claim, status: 'pending' }, { $set: { due_at: until } });

const dueAt = (now: Date) => ({ status: 'pending' as const, due_at: where<Date | null>({ $lte: now }) });

/** The ids of up to `max` due deliveries of an endpoint, the longest overdue first. */
export async function dueDeliveries(scope: Scope, endpoint_id: string, max: number, now: Date): Promise<string[]> {
  const due = { endpoint_id, ...dueAt(now) };
  const found = await scoped(DeliveryModel, scope).find(due, { fields: ['due_at'], sort: { due_at: 1 }, limit: max });
  return found.map(({ _id }) => _id);
}

/**
 * Claims those of the deliveries that are still due, and returns them. They belong to this process until `until`; then
 * they are due again, even if the process died. If it rejects, some may be claimed.
 */
export async function claimDue(scope: Scope, ids: readonly string[], claim: string, now: Date, until: Date): Promise<DeliveryRecord[]> {
  const deliveries = scoped(DeliveryModel, scope);
  const among = { _id: where({ $in: ids }) };
  await deliveries.updateMany({ ...among, ...dueAt(now) }, { $set: { claim, due_at: until } });
  return deliveries.find({ ...among, claim });
}

const across = acrossOrganizations(DeliveryModel);

/** When the next delivery after `after` is due; null if none is. */
export const nextDue = (after = new Date(0)): Promise<Date | null> =>
  across.least('due_at', { status: 'pending', due_at: where<Date | null>({ $gt: after }) });

/**
 * The endpoints with due deliveries, each with its organization. A distinct scan of an index, whatever the number of
 * deliveries.
 */
export const endpointsDue = (now: Date): Promise<Owner[]> =>
  across.owners('endpoint_id', 'due_at', { status: 'pending', due_at: where<Date | null>({ $lte: now }) });

/** The number of pending deliveries; counting ends at `max`. */
export const pendingCount = (max: number): Promise<number> => across.count({ status: 'pending' }, max);

/** Leaves out the body, which may be large. */
const shownFields = [
  'endpoint_id',
  'event_id',
  'event_type',
  'status',
  'attempts',
  'claim',
  'due_at',
  'created_at',
  'delivered_at',
] as const;

const shownById = batchedById(DeliveryModel, shownFields);

/** A delivery's public fields; throws `delivery_not_found` when the endpoint has none with this id. */
export async function shownDelivery(scope: Scope, endpointId: string, id: string) {
  const delivery = await shownById(scope, id);
  if (delivery?.endpoint_id !== endpointId) throw new AppError('delivery_not_found');
  return delivery;
}

const wholeById = batchedById(DeliveryModel);

/** A delivery with its body; throws `delivery_not_found` as above. */
export async function wholeDelivery(scope: Scope, endpointId: string, id: string): Promise<DeliveryRecord> {
  const delivery = await wholeById(scope, id);
  if (delivery?.endpoint_id !== endpointId) throw new AppError('delivery_not_found');
  return delivery;
}

/** How many of these ids are deliveries of the endpoint. */
export const deliveryCount = (scope: Scope, endpoint_id: string, ids: readonly string[]): Promise<number> =>
  scoped(DeliveryModel, scope).count({ _id: where({ $in: ids }), endpoint_id }, ids.length);

/** One page, newest first, with the total. */
export const deliveryPage = coalescedPage(DeliveryModel, { fields: shownFields, sort: { created_at: -1, _id: 1 } });

/** Bounds the duration of one write; there may be any number of deliveries. */
const batchSize = 1_000;

/**
 * Skips an endpoint's pending deliveries created up to `before` (ISO 8601). Those sent in the meantime keep their
 * outcome.
 */
export async function skipPending(tenant: Tenant, endpoint_id: string, before: string): Promise<void> {
  const deliveries = scoped(DeliveryModel, tenant);
  for (;;) {
    const waiting = { endpoint_id, status: 'pending' as const, created_at: where({ $lte: before }) };
    const found = await deliveries.find(waiting, { fields: [], limit: batchSize });
    if (found.length === 0) return;
    const ids = found.map(({ _id }) => _id);
    await deliveries.updateMany({ _id: where({ $in: ids }), status: 'pending' }, { $set: { status: 'skipped', due_at: null } });
  }
}

/** Deletes all deliveries of an endpoint. */
export async function dropDeliveries(tenant: Tenant, endpoint_id: string): Promise<void> {
  await scoped(DeliveryModel, tenant).deleteMany({ endpoint_id });
}
