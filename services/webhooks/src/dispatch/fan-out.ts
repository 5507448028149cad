import type { StreamEvent } from '@webkiln/events';
import { gatheredAll } from '@webkiln/store';
import { deliveryId } from '../deliveries/delivery.ts';
import { addDelivery, deliveryStatus } from '../deliveries/delivery-store.ts';
import { EndpointModel } from '../endpoints/endpoint-store.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { FirstDelivery, newDelivery } from './first-delivery.ts';
import { countSkipped } from './outcomes.ts';

/** An organization has few endpoints, and they are read afresh for each batch: a change takes effect with the next event. */
const endpointsOf = gatheredAll(EndpointModel, [
  'url',
  'events',
  'is_active',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'failing_since',
]);

type Endpoint = Awaited<ReturnType<typeof endpointsOf>>[number];

/**
 * Delivers each event to every endpoint that subscribes to it. Each promise resolves when each of the event's deliveries has its row in the
 * store: the event may be forgotten.
 */
export function fanOut(parts: DispatchParts, events: readonly StreamEvent[]): Promise<void>[] {
  const found = new Map<string, Promise<readonly Endpoint[]>>();
  return events.map(async (event) => {
    let endpoints = found.get(event.org_id);
    if (endpoints === undefined) {
      endpoints = endpointsOf(event);
      found.set(event.org_id, endpoints);
    }
    const subscribed = (await endpoints).filter((endpoint) => endpoint.events.includes(event.type));
    await Promise.all(subscribed.map((endpoint) => deliver(parts, endpoint, event)));
  });
}

async function deliver(parts: DispatchParts, endpoint: Endpoint, event: StreamEvent): Promise<void> {
  // What was written before its process died was tried, or is in the hands of who looks after due deliveries.
  if (event.redelivered && (await deliveryStatus(endpoint, deliveryId(event.id, endpoint._id))) !== null) return;
  if (endpoint.is_active) return new FirstDelivery(parts, parts.lanes.lane(endpoint._id, endpoint.org_id), endpoint, event).settled;
  countSkipped();
  await addDelivery(endpoint, { ...newDelivery(event, endpoint._id, parts.settings.retentionMs), status: 'skipped' });
}
