import { scoped, type Tenant, where } from '@webkiln/store';
import { DeliveryModel } from './delivery-store.ts';

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
