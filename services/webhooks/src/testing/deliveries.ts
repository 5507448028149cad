import { randomUUID } from 'node:crypto';
import { scoped, type Tenant } from '@webkiln/store';
import type { DeliveryState } from '../deliveries/delivery.ts';
import { addDelivery, claimDue, DeliveryModel, type DeliveryRecord, dueDeliveries } from '../deliveries/delivery-store.ts';

/** Stores a delivery of an endpoint, delivered by default; returns its id. */
export async function keptDelivery(org: string, endpoint_id: string, wanted: Partial<DeliveryState> = {}): Promise<string> {
  const _id = randomUUID();
  const delivery = {
    event_id: randomUUID(),
    event_type: 'client.created' as const,
    body: '{}',
    status: 'delivered' as const,
    endpoint_id,
    attempts: [],
    attempt_count: 0,
    due_at: null,
    claim: null,
    created_at: new Date().toISOString(),
    delivered_at: null,
    expire_at: new Date(Date.now() + 3600_000),
  };
  await addDelivery({ org_id: org }, { ...delivery, ...wanted, _id });
  return _id;
}

/** The status of each of an endpoint's deliveries, by id. */
export async function keptStatuses(org: string, endpoint_id: string): Promise<Record<string, string>> {
  const found = await scoped(DeliveryModel, { org_id: org }).find({ endpoint_id }, { fields: ['status'] });
  return Object.fromEntries(found.map(({ _id, status }) => [_id, status]));
}

/** Claims up to `max` due deliveries of an endpoint until `until`, as a dispatcher does. */
export const claimedUntil = async (tenant: Tenant, endpoint_id: string, max: number, now: Date, until: Date): Promise<DeliveryRecord[]> =>
  claimDue(tenant, await dueDeliveries(tenant, endpoint_id, max, now), randomUUID(), now, until);
