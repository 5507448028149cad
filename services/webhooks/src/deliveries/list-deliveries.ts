import { DeliveryStatus, momentOf, webhookEvents } from '@webkiln/contract';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { between, type Filter } from '@webkiln/store';
import { sentHeaders } from '../dispatch/sender.ts';
import { shownEndpoint } from '../endpoints/endpoint-store.ts';
import { toDelivery } from './delivery.ts';
import { type DeliveryRecord, deliveryPage, wholeDelivery } from './delivery-store.ts';
import { bodyOf } from './event-body-store.ts';

export const listDeliveries = handle('webhooks.ListDeliveries', async (request, caller) => {
  await shownEndpoint(caller, request.webhook_id);
  const filter = filterOf(request);
  if (filter === null) return { deliveries: [], total: 0, next_cursor: '' };
  const { records, total, next_cursor } = await deliveryPage(caller, filter, request);
  return { deliveries: records.map(toDelivery), total, next_cursor };
});

export const getDelivery = handle('webhooks.GetDelivery', async ({ webhook_id, delivery_id }, caller) => {
  const delivery = await wholeDelivery(caller, webhook_id, delivery_id);
  const newest = delivery.attempts.at(-1);
  const headers = sentHeaders(delivery.event_id, newest && new Date(newest.at));
  const request = {
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: (await bodyOf(caller.principal, delivery)) ?? null,
  };
  return { delivery: { ...toDelivery(delivery), request } };
});

/** Null for a filter that no delivery can match. */
function filterOf({ webhook_id, status, event, after, before }: IncomingRequest<'webhooks.ListDeliveries'>): Filter<DeliveryRecord> | null {
  const wantedStatus = DeliveryStatus.options.find((known) => known === status);
  const wantedEvent = webhookEvents.find((known) => known === event);
  const [from, to] = [momentOf(after), momentOf(before)];
  if (wantedStatus !== status || wantedEvent !== event || from === null || to === null) return null;
  return {
    endpoint_id: webhook_id,
    ...(wantedStatus !== undefined && { status: wantedStatus }),
    ...(wantedEvent !== undefined && { event_type: wantedEvent }),
    ...between('created_at', from?.toISOString(), to?.toISOString()),
  };
}
