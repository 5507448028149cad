import { scoped, type Tenant, where } from '@webkiln/store';
import { DeliveryModel } from './delivery-store.ts';

/** A write of this size is short; there may be any number of rows. */
const atOnce = 1_000;

/** Skips what waits for an endpoint and came before that moment (ISO 8601); what was sent meanwhile keeps its outcome. */
export async function skipPending(tenant: Tenant, endpoint_id: string, before: string): Promise<void> {
  const deliveries = scoped(DeliveryModel, tenant);
  for (;;) {
    const waiting = { endpoint_id, status: 'pending' as const, created_at: where({ $lte: before }) };
    const found = await deliveries.find(waiting, { fields: [], limit: atOnce });
    if (found.length === 0) return;
    const ids = found.map(({ _id }) => _id);
    await deliveries.updateMany({ _id: where({ $in: ids }), status: 'pending' }, { $set: { status: 'skipped', due_at: null } });
  }
}

/** Deletes everything that was kept of an endpoint. */
export async function dropDeliveries(tenant: Tenant, endpoint_id: string): Promise<void> {
  const deliveries = scoped(DeliveryModel, tenant);
  for (;;) {
    const found = await deliveries.find({ endpoint_id }, { fields: [], limit: atOnce });
    if (found.length === 0) return;
    await deliveries.deleteMany({ _id: where({ $in: found.map(({ _id }) => _id) }) });
  }
}
