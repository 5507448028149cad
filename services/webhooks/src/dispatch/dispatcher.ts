import { consumeBatches, consumerOf, type StreamEvent } from '@webkiln/events';
import type { Outbound } from '@webkiln/outbound';
import { logger, PollTimer, type Run, repeat } from '@webkiln/runtime';
import { batchedAll } from '@webkiln/store';
import { deliveryId } from '../deliveries/delivery.ts';
import { addDelivery, deliveryStatus, endpointsDue, nextDue } from '../deliveries/delivery-store.ts';
import { addBody } from '../deliveries/event-body-store.ts';
import { EndpointModel } from '../endpoints/endpoint-store.ts';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';
import { type AttemptParts, FirstAttempt, newDelivery } from './attempts.ts';
import type { DispatchSettings } from './dispatch-config.ts';
import { DueClaims } from './due-claims.ts';
import { EndpointQueues } from './endpoint-queues.ts';
import { InFlight } from './in-flight.ts';
import { countSkipped, EndpointHealth, OutcomeRecorder } from './outcome.ts';
import { Sender } from './sender.ts';

/** From SIGTERM on: attempts may end, then claims are released, and after 10 s a process is ended (runService). */
const stopTimes = { workMs: 5_000, releaseMs: 9_000, endMs: 10_000 };

/**
 * Delivers events to endpoints: stream → fan-out → endpoint queues → sender → outcomes. Due retries enter the queues by
 * poll and claim. Each part is built from the parts below it alone. The store and events must be connected before
 * `start`.
 */
export class Dispatcher {
  readonly #pollTimer = new PollTimer();
  readonly #health: EndpointHealth;
  readonly #parts: AttemptParts;
  readonly #queues: EndpointQueues;
  readonly #poller: DuePoller;

  constructor(settings: DispatchSettings, outbound: Pick<Outbound, 'post'>, secrets: SigningSecrets) {
    this.#health = new EndpointHealth(settings.disableAfterMs);
    this.#parts = {
      settings,
      sender: new Sender(outbound, secrets, settings.timeoutMs),
      outcomes: new OutcomeRecorder(settings, this.#health, this.#pollTimer),
      inFlight: new InFlight(),
    };
    this.#queues = new EndpointQueues(settings, new DueClaims(this.#parts), this.#parts.inFlight);
    this.#poller = new DuePoller(this.#pollTimer, this.#queues);
  }

  /** A delivery was made due by an RPC: it need not wait for the next poll. */
  get pollBy(): (time: Date) => void {
    return this.#pollTimer.pollBy;
  }

  start(): void {
    this.#queues.start();
    this.#poller.start();
    consumeBatches({
      ...consumerOf('webhooks-dispatch'),
      handle: (events) => fanOut(this.#parts, this.#queues, events),
    });
  }

  /**
   * Starts nothing more: events that still arrive are stored as due. Drains attempts in flight and releases what does
   * not end in time. Never rejects.
   */
  async stop(): Promise<void> {
    const { inFlight } = this.#parts;
    this.#queues.stop();
    inFlight.track(this.#poller.stop());
    await inFlight.drain(stopTimes);
    await this.#health.settled();
  }
}

/** How often the store is polled for due deliveries that other processes left; less often while it has none. */
const pollIntervalMs = 1_000;
const longestPollIntervalMs = 5_000;

/** Polls the store for due deliveries: when the timer says so, and every second, or every five while none waits. */
class DuePoller {
  readonly #timer: PollTimer;
  readonly #queues: EndpointQueues;
  readonly #stopping = new AbortController();
  #pollIntervalMs = pollIntervalMs;
  #running: Promise<void> = Promise.resolve();

  constructor(timer: PollTimer, queues: EndpointQueues) {
    this.#timer = timer;
    this.#queues = queues;
  }

  start(): void {
    this.#running = repeat((run) => this.#poll(run), {
      worker: 'poll for due deliveries',
      signal: this.#stopping.signal,
      timer: this.#timer,
      onFailure: (error) => {
        logger.warn({ err: error }, 'retry poll failed: the store is unavailable; polling again in 1 s');
        this.#timer.restart(Date.now() + pollIntervalMs);
      },
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** While nothing is due this reads one index entry. */
  async #poll({ progress }: Run): Promise<void> {
    const now = new Date();
    this.#timer.restart(now.getTime() + this.#pollIntervalMs);
    const first = await nextDue();
    this.#pollIntervalMs = first === null ? Math.min(this.#pollIntervalMs * 2, longestPollIntervalMs) : pollIntervalMs;
    if (first === null) return;
    if (first > now) {
      this.#timer.pollBy(first);
      return;
    }
    progress();
    for (const { key, org_id } of await endpointsDue(now)) this.#queues.markBacklog(key, org_id);
    progress();
    const later = await nextDue(now);
    if (later !== null) this.#timer.pollBy(later);
  }
}

/** Endpoints are few per organization and read for each batch, so that a change takes effect with the next event. */
const endpointsOf = batchedAll(EndpointModel, [
  'url',
  'events',
  'is_active',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'older_secrets',
  'failing_since',
]);

type Endpoint = Awaited<ReturnType<typeof endpointsOf>>[number];

/**
 * Submits each event to every endpoint that subscribes to it. An event's promise resolves when all its deliveries are
 * in the store: the event can be acknowledged.
 */
function fanOut(parts: AttemptParts, queues: EndpointQueues, events: readonly StreamEvent[]): Promise<void>[] {
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
