import { randomUUID } from 'node:crypto';
import { generateWebhookSecret, type WebhookEvent } from '@webkiln/contract';
import { closeEvents, connectEvents } from '@webkiln/events';
import { ownStream, quiet, removeStream, type TestStream, withNats } from '@webkiln/events/testing';
import { Change } from '@webkiln/messages';
import { insertChange, scoped } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import type { DeliveryState } from '../deliveries/delivery.ts';
import { DeliveryModel } from '../deliveries/delivery-store.ts';
import type { DispatchSettings } from '../dispatch/dispatch-config.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import { type EndpointState, openEndpoint } from '../endpoints/endpoint.ts';
import { EndpointModel } from '../endpoints/endpoint-store.ts';
import { Receiver } from './receiver.ts';
import { secrets, testOutbound } from './running-service.ts';
import { testSettings } from './test-settings.ts';

/** A stream, a database and a receiver for one test file; `start` runs a dispatcher on them until the test ends. */
export function useDispatcher() {
  const receiver = new Receiver();
  const running: (() => Promise<void>)[] = [];
  let stream: TestStream;

  useTestStore();
  beforeAll(() => receiver.listen());
  afterAll(() => receiver.close());
  beforeEach(async () => {
    receiver.reset();
    stream = ownStream();
    await connectEvents(process.env.NATS_URL ?? '', 'webhooks', stream);
  });
  afterEach(async () => {
    // Ends hanging requests, so that no shutdown waits for them.
    receiver.dropConnections();
    await closeEvents();
    await Promise.all(running.splice(0).map((stop) => stop()));
    await removeStream(stream.stream);
    for (const name of ['deliveries', 'event_bodies', 'endpoints']) await mongoose.connection.collection(name).deleteMany({});
  });

  return {
    receiver,
    /** Runs a dispatcher; returns a function that stops it. */
    start(settings: Partial<DispatchSettings> = {}): () => Promise<void> {
      const outbound = testOutbound();
      const dispatcher = new Dispatcher({ ...testSettings, ...settings }, outbound, secrets);
      dispatcher.start();
      const stop = async () => {
        await dispatcher.stop();
        await outbound.close(0);
      };
      running.push(stop);
      return stop;
    },
    publish: (org_id: string, times = 1, type: WebhookEvent = 'client.created', text = '') => publish(stream, org_id, times, type, text),
    stream: () => stream,
    /** Connects again, as a new process would. */
    async reconnect(): Promise<void> {
      await closeEvents();
      await connectEvents(process.env.NATS_URL ?? '', 'webhooks', stream);
    },
    /** Waits until all events of the stream are acknowledged. */
    allAcknowledged: () => quiet(stream, 'webhooks-dispatch'),
  };
}

/** Publishes events of an organization; returns their ids in order. */
async function publish(
  { stream, subjectPrefix }: TestStream,
  org_id: string,
  times: number,
  type: WebhookEvent,
  text: string,
): Promise<string[]> {
  const ids = Array.from({ length: times }, () => randomUUID());
  await withNats(async (connection) => {
    // A slow machine may take long, so only failures wait until this timeout.
    const jetstream = connection.jetstream({ timeout: 120_000 });
    const { streams } = await connection.jetstreamManager();
    await until(() => streams.info(stream).then(Boolean, () => false));
    for (const id of ids) {
      const event = {
        id,
        type,
        timestamp: new Date().toISOString(),
        data: { client: { name: `Kiln & Söhne ${id}${text}` } },
        org_id,
        api_version: 'v1',
      };
      await jetstream.publish(`${subjectPrefix}events.${type}`, JSON.stringify(event), { msgID: id });
    }
  });
  return ids;
}

/** Stores an endpoint; the result includes its signing secret in plain text. */
export async function endpointAt(url: string, org_id: string = randomUUID(), more: Partial<EndpointState> = {}) {
  const secret = generateWebhookSecret();
  const sealed = secrets.sealSecret(org_id, secret);
  const place = Math.floor(Math.random() * 1e6);
  const { state } = openEndpoint(
    { _id: randomUUID(), org_id, url, events: ['client.created'], place, secret: sealed, shown_to: null },
    new Date().toISOString(),
  );
  const endpoint = await insertChange(EndpointModel, { org_id }, new Change({ ...state, ...more }, []));
  return { ...endpoint, plainSecret: secret };
}

export const deliveriesOf = (org_id: string) => scoped(DeliveryModel, { org_id }).find({});

/** Waits until an organization has `count` deliveries, all with this status; returns them. */
export async function settled(org_id: string, count: number, status: DeliveryState['status'], timeoutMs?: number) {
  await until(async () => {
    const found = await deliveriesOf(org_id);
    return found.length === count && found.every((delivery) => delivery.status === status);
  }, timeoutMs);
  return deliveriesOf(org_id);
}
