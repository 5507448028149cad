import { AppError } from '@webkiln/contract';
import { batchedById, coalescedPage, type Scope } from '@webkiln/store';
import { DeliveryModel } from './delivery-store.ts';

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

/** One page, newest first, with the total. */
export const deliveryPage = coalescedPage(DeliveryModel, { fields: shownFields, sort: { created_at: -1, _id: 1 } });
