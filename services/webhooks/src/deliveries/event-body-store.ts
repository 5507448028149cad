import type { StreamEvent } from '@webkiln/events';
import { batchedById, batchedInsert, defineModel, scoped, type Tenant, where } from '@webkiln/store';
import { DeliveryModel, deliveryLingerMs } from './delivery-store.ts';

/** The text of an event (`_id`) that goes to several endpoints. Its deliveries hold no copy. */
interface EventBody {
  _id: string;
  org_id: string;
  body: string;
  /** When MongoDB deletes the document. */
  expire_at: Date;
}

export const EventBodyModel = defineModel<EventBody>(
  'event_bodies',
  { body: { type: String, required: true }, expire_at: { type: Date, required: true } },
  { exportedAs: null, indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** A body is kept so much longer than its deliveries. */
const marginMs = 24 * 3600_000;

const insertBody = batchedInsert(EventBodyModel, { lingerMs: deliveryLingerMs });

/** Stores the body of an event for its deliveries, which expire by `until`. Repeats store it once. */
export async function addBody({ id, org_id, json }: StreamEvent, until: Date): Promise<void> {
  if (!(await insertBody({ org_id }, { _id: id, body: json, expire_at: after(until) }))) await keepBodies({ org_id }, [id], until);
}

/** Keeps the bodies that deliveries share, before these are changed to expire later. */
export async function keepBodiesOf(tenant: Tenant, deliveryIds: readonly string[], until: Date): Promise<void> {
  const sharing = { _id: where({ $in: deliveryIds }), body: null };
  const found = await scoped(DeliveryModel, tenant).find(sharing, { fields: ['event_id'] });
  if (found.length > 0) await keepBodies(tenant, [...new Set(found.map(({ event_id }) => event_id))], until);
}

async function keepBodies(tenant: Tenant, eventIds: readonly string[], until: Date): Promise<void> {
  await scoped(EventBodyModel, tenant).updateMany({ _id: where({ $in: eventIds }) }, { $max: { expire_at: after(until) } });
}

const after = (until: Date) => new Date(until.getTime() + marginMs);

const storedBody = batchedById(EventBodyModel, ['body']);

/** The text to send; undefined once it is no longer kept. Reads of one tick share a query. */
export const bodyOf = async (tenant: Tenant, { body, event_id }: { body: string | null; event_id: string }): Promise<string | undefined> =>
  body ?? (await storedBody(tenant, event_id))?.body;
