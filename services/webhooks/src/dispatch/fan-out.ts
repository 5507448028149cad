import type { StreamEvent } from '@webkiln/events';
import { batchedAll } from '@webkiln/store';
import { deliveryId } from '../deliveries/delivery.ts';
import { addDelivery, deliveryStatus } from '../deliveries/delivery-store.ts';
import { addBody } from '../deliveries/event-body-store.ts';
import { EndpointModel } from '../endpoints/endpoint-store.ts';
import type { AttemptParts } from './attempts/attempt.ts';
import { FirstAttempt, newDelivery } from './attempts/first-attempt.ts';
import { countSkipped } from './attempts/outcome.ts';
import type { EndpointQueues } from './queue/endpoint-queues.ts';

/** Endpoints are few per organization and read for each batch, so that a change takes effect with the next event. */
const endpointsOf = batchedAll(EndpointModel, [
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
 * Submits each event to every endpoint that subscribes to it. An event's promise resolves when all its deliveries are
 * in the store: the event can be acknowledged.
 */
export function fanOut(parts: AttemptParts, queues: EndpointQueues, events: readonly StreamEvent[]): Promise<void>[] {
  const found = new Map<string, Promise<readonly Endpoint[]>>();
  return events.map(async (event) => {
    let endpoints = found.get(event.org_id);
    if (endpoints === undefined) {
      endpoints = endpointsOf(event);
      found.set(event.org_id, endpoints);
    }
    const subscribed = (await endpoints).filter((endpoint) => endpoint.events.includes(event.type));
    const bodyStored = subscribed.length > 1 ? shareBody(parts, event) : undefined;
    await Promise.all(subscribed.map((endpoint) => deliver(parts, queues, endpoint, event, bodyStored)));
  });
}

/** Stores an event's body once for all its deliveries, while the first attempts are made. Each waits for it. */
function shareBody({ settings }: AttemptParts, event: StreamEvent): Promise<void> {
  const stored = addBody(event, new Date(Date.now() + settings.retentionMs));
  // A failure rejects each delivery, some of them later.
  stored.catch(() => undefined);
  return stored;
}

async function deliver(
  parts: AttemptParts,
  queues: EndpointQueues,
  endpoint: Endpoint,
  event: StreamEvent,
  bodyStored: Promise<void> | undefined,
): Promise<void> {
  // A stored delivery was attempted, or the poller takes care of it.
  if (event.redelivered && (await deliveryStatus(endpoint, deliveryId(event.id, endpoint._id))) !== null) return;
  if (endpoint.is_active) {
    const attempt = new FirstAttempt(parts, endpoint, event, bodyStored);
    queues.submit(endpoint, attempt);
    return attempt.stored;
  }
  countSkipped();
  await bodyStored;
  const body = bodyStored === undefined ? event.json : null;
  await addDelivery(endpoint, { ...newDelivery(event, endpoint._id, parts.settings.retentionMs), body, status: 'skipped' });
}
