import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { generateWebhookSecret } from '@webkiln/contract';
import { consumeBatches } from '@webkiln/events';
import { scoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { addDelivery, DeliveryModel } from '../deliveries/delivery-store.ts';
import { addBody, EventBodyModel } from '../deliveries/event-body-store.ts';
import { requeue, requeueRange } from '../deliveries/requeue-store.ts';
import type { OlderSecret } from '../endpoints/endpoint.ts';
import { present } from '../testing/calls.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { idsOf, status } from '../testing/receiver.ts';
import { deliveriesOf, endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { masterKey, secrets } from '../testing/running-service.ts';
import { newDelivery } from './attempts.ts';
import { nextAttemptAt } from './outcome.ts';

describe('dispatcher', () => {
  const { receiver, start, publish, stream, allAcknowledged, reconnect } = useDispatcher();

  /** Starts a dispatcher that dies as its first attempt is answered. Resolves with its exit code and signal. */
  function startDying(): Promise<unknown[]> {
    const env = {
      ...process.env,
      DATABASE: mongoose.connection.name,
      STREAM: stream().stream,
      SUBJECT_PREFIX: stream().subjectPrefix,
      MASTER_KEY: masterKey.toString('base64'),
    };
    return once(spawn(process.execPath, [require.resolve('../testing/dying-dispatcher.ts')], { env, stdio: 'ignore' }), 'exit');
  }

  describe('an event', () => {
    test('an event arrives signed at exactly the endpoints of its organization that subscribe to it', async () => {
      const endpoint = await endpointAt(receiver.url('/one'));
      const { org_id } = endpoint;
      await endpointAt(receiver.url('/other-type'), org_id, { events: ['project.created'] });
      await endpointAt(receiver.url('/other-organization'));
      await endpointAt(receiver.url('/two'), org_id);
      start();
      const [id] = await publish(org_id);
      const deliveries = await settled(org_id, 2, 'delivered');

      expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(['/one', '/two']);
      const { headers, body } = present(receiver.at('/one')[0]);
      expect(headers['webhook-id']).toBe(id);
      expect(new Webhook(endpoint.plainSecret).verify(body, headers as Record<string, string>)).toMatchObject({
        id,
        type: 'client.created',
        org_id,
      });
      expect(deliveries).toContainEqual(
        expect.objectContaining({
          endpoint_id: endpoint._id,
          event_id: id,
          event_type: 'client.created',
          body: null,
          attempt_count: 1,
          due_at: null,
          attempts: [{ at: expect.any(String), status_code: 200, latency_ms: expect.any(Number), response: '', reason: null }],
        }),
      );
    });

    test('only 2xx is success: other responses are retried, and redirects are not followed', async () => {
      const { org_id } = await endpointAt(receiver.url());
      const codes = [301, 404, 500, 204];
      receiver.answer = (response) =>
        status(codes.shift() ?? 500, { location: receiver.url('/elsewhere') }, 'no')(response, present(receiver.received[0]));
      start({ retryWaitsMs: [50, 50, 50] });
      await publish(org_id);
      const [delivery] = await settled(org_id, 1, 'delivered');
      expect(present(delivery).attempts.map(({ status_code, response }) => [status_code, response])).toEqual([
        [301, 'no'],
        [404, 'no'],
        [500, 'no'],
        [204, ''],
      ]);
      expect(present(delivery).attempts[0]?.reason).toBe('The receiver answered 301; redirects are not followed.');
      expect(new Set(idsOf(receiver.received)).size).toBe(1);
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
      expect(receiver.at('/elsewhere')).toEqual([]);
    });

    test('500 events arrive once each if nothing fails', async () => {
      receiver.answer = status(200);
      const { org_id } = await endpointAt(receiver.url());
      start();
      const ids = await publish(org_id, 500);
      await settled(org_id, 500, 'delivered');
      expect(idsOf(receiver.received).toSorted()).toEqual(ids.toSorted());
    });
  });

  describe('a rotated secret', () => {
    const dayMs = 24 * 3600_000;

    /** Delivers one event to an endpoint whose previous secret is valid until the given time. */
    async function received(previous: string, until: Date, older: ((org_id: string) => OlderSecret)[] = []) {
      const org_id = crypto.randomUUID();
      const endpoint = await endpointAt(receiver.url(), org_id, {
        previous_secret: secrets.sealSecret(org_id, previous),
        previous_secret_until: until,
        older_secrets: older.map((of) => of(org_id)),
      });
      start();
      await publish(org_id);
      await settled(org_id, 1, 'delivered');
      const { body, headers } = present(receiver.received[0]);
      return { current: endpoint.plainSecret, body, headers: headers as Record<string, string> };
    }

    test('after a rotation both the old and the new secret verify for a day', async () => {
      const old = generateWebhookSecret();
      const { current, body, headers } = await received(old, new Date(Date.now() + dayMs));
      expect(new Webhook(current).verify(body, headers)).toBeDefined();
      expect(new Webhook(old).verify(body, headers)).toBeDefined();
    });

    test('after several rotations in a row each secret of the last day verifies, and none before it', async () => {
      const [previous, older, oldest, ended] = [1, 2, 3, 4].map(() => generateWebhookSecret()) as [string, string, string, string];
      const until = new Date(Date.now() + dayMs);
      const sealed = (secret: string, at: Date) => (org_id: string) => ({ secret: secrets.sealSecret(org_id, secret), until: at });
      const { current, body, headers } = await received(previous, until, [
        sealed(older, until),
        sealed(oldest, until),
        sealed(ended, new Date(Date.now() - 1)),
      ]);
      for (const secret of [current, previous, older, oldest]) expect(new Webhook(secret).verify(body, headers)).toBeDefined();
      expect(() => new Webhook(ended).verify(body, headers)).toThrow('No matching signature found');
    });

    test('after that day only the new secret verifies', async () => {
      const old = generateWebhookSecret();
      const { current, body, headers } = await received(old, new Date(Date.now() - 1));
      expect(new Webhook(current).verify(body, headers)).toBeDefined();
      expect(() => new Webhook(old).verify(body, headers)).toThrow('No matching signature found');
    });
  });

  describe('the body of an event', () => {
    const dayMs = 24 * 3600_000;
    const endpoints = 50;

    const bodiesOf = (org_id: string) => scoped(EventBodyModel, { org_id }).find({});
    const bytesIn = async (collection: string) =>
      (await mongoose.connection.collection(collection).find().toArray()).reduce(
        (sum, row) => sum + mongoose.mongo.BSON.calculateObjectSize(row),
        0,
      );
    const sentBodies = () => new Set(receiver.received.map(({ body }) => body));

    /** An organization whose endpoints all get its events. */
    async function manyEndpoints(count: number): Promise<string> {
      const { org_id } = await endpointAt(receiver.url('/0'));
      for (let at = 1; at < count; at++) await endpointAt(receiver.url(`/${at}`), org_id);
      return org_id;
    }

    test('the body of an event to 50 endpoints is stored once, that of an event to one endpoint in its delivery', async () => {
      const org_id = await manyEndpoints(endpoints);
      const single = await endpointAt(receiver.url('/single'));
      start();
      const text = 'x'.repeat(60_000);
      const [id] = await publish(org_id, 1, 'client.created', text);
      await publish(single.org_id);
      const deliveries = await settled(org_id, endpoints, 'delivered');
      const [own] = await settled(single.org_id, 1, 'delivered');
      expect(await bodiesOf(org_id)).toMatchObject([{ _id: id, body: present(receiver.at('/0')[0]).body }]);
      expect(sentBodies().size).toBe(2);
      expect(deliveries.every(({ body }) => body === null)).toBe(true);
      expect(own?.body).toBe(present(receiver.at('/single')[0]).body);
      expect(await bodiesOf(single.org_id)).toEqual([]);
      expect((await bytesIn('event_bodies')) + (await bytesIn('deliveries'))).toBeLessThan(2 * text.length);
    });

    test('a retry, a replay and a repeat of one delivery send the same body as the first attempt, and it is kept as long as they are', async () => {
      const org_id = await manyEndpoints(2);
      receiver.answer = status(500);
      start({ retryWaitsMs: [20] });
      await publish(org_id);
      const [first, second] = await settled(org_id, 2, 'failed');
      receiver.answer = status(204);
      const later = 90 * dayMs;
      await requeue({ org_id }, present(first)._id, new Date(), later);
      const range = {
        endpointId: present(second).endpoint_id,
        statuses: ['failed'],
        after: '2000-01-01T00:00:00Z',
        before: '2999-01-01T00:00:00Z',
      };
      await requeueRange({ org_id }, range as never, later, { max: 10, perSecond: 10, until: Date.now() + 60_000 });
      const delivered = await settled(org_id, 2, 'delivered');
      expect(receiver.received).toHaveLength(6);
      expect(sentBodies().size).toBe(1);
      const [body, ...others] = await bodiesOf(org_id);
      expect(others).toEqual([]);
      for (const { expire_at } of delivered) expect(present(body).expire_at.getTime()).toBeGreaterThan(expire_at.getTime());
    });

    test('an event whose process is killed before its deliveries are stored arrives everywhere, and its body is stored once, for a time', async () => {
      const org_id = await manyEndpoints(2);
      const exited = startDying();
      await publish(org_id);
      expect(await exited).toEqual([null, 'SIGKILL']);
      expect(await deliveriesOf(org_id)).toEqual([]);
      start();
      const delivered = await settled(org_id, 2, 'delivered');
      expect(sentBodies().size).toBe(1);
      const [body, ...others] = await bodiesOf(org_id);
      expect(others).toEqual([]);
      for (const { expire_at } of delivered) expect(present(body).expire_at.getTime()).toBeGreaterThan(expire_at.getTime());
    });

    test('a body that an earlier attempt stored is kept for the deliveries of a later one, and no longer than a day beyond them', async () => {
      const event = {
        id: crypto.randomUUID(),
        type: 'client.created',
        org_id: crypto.randomUUID(),
        json: '{}',
        redelivered: true,
      } as const;
      const until = new Date(Date.now() + 30 * dayMs);
      await addBody(event, new Date(Date.now() + dayMs));
      await addBody(event, until);
      expect(await bodiesOf(event.org_id)).toMatchObject([{ body: '{}', expire_at: new Date(until.getTime() + dayMs) }]);
    });

    test('a delivery whose body is no longer kept fails with a sentence, and its endpoint is not blamed', async () => {
      const endpoint = await endpointAt(receiver.url());
      const { org_id } = endpoint;
      await keptDelivery(org_id, endpoint._id, { status: 'pending', due_at: new Date(), body: null });
      const inline = await keptDelivery(org_id, endpoint._id, { status: 'pending', due_at: new Date(), body: '{"old":true}' });
      start();
      await until(async () => (await scoped(DeliveryModel, { org_id }).count({ status: 'pending' })) === 0);
      const found = await deliveriesOf(org_id);
      expect(found.find(({ _id }) => _id === inline)?.status).toBe('delivered');
      expect(found.find(({ _id }) => _id !== inline)).toMatchObject({
        status: 'failed',
        due_at: null,
        claim: null,
        attempts: [{ status_code: null, reason: 'The event is no longer kept, so it could not be sent.' }],
      });
      expect([...sentBodies()]).toEqual(['{"old":true}']);
      expect(await mongoose.connection.collection('endpoints').countDocuments({ failing_since: null })).toBe(1);
    });
  });

  describe('a crash', () => {
    test('an event is delivered again, with the same id and body, if its process is killed before the outcome is written', async () => {
      const { org_id } = await endpointAt(receiver.url());
      const exited = startDying();
      const [id] = await publish(org_id);
      expect(await exited).toEqual([null, 'SIGKILL']);
      start();
      const [delivery] = await settled(org_id, 1, 'delivered');
      expect(idsOf(receiver.received)).toEqual([id, id]);
      const [first, second] = receiver.received;
      expect(present(second).body).toBe(present(first).body);
      expect(present(delivery)).toMatchObject({ attempt_count: 1, body: present(first).body });
    });

    test('an event whose outcome was written before its process died is not sent again', async () => {
      const endpoint = await endpointAt(receiver.url());
      const id = await takenOnce(endpoint.org_id);
      const event = { id, type: 'client.created', org_id: endpoint.org_id, json: '{}', redelivered: false } as const;
      await addDelivery(endpoint, { ...newDelivery(event, endpoint._id, 3600_000), body: '{}', status: 'delivered' });
      start();
      await allAcknowledged();
      expect(receiver.received).toEqual([]);
    });

    test('an event is sent if its process died right after receiving it', async () => {
      const endpoint = await endpointAt(receiver.url());
      const id = await takenOnce(endpoint.org_id);
      start();
      await settled(endpoint.org_id, 1, 'delivered');
      expect(idsOf(receiver.received)).toEqual([id]);
    });

    /** Publishes and receives an event, as a dispatcher that dies right afterwards. */
    async function takenOnce(org_id: string): Promise<string> {
      let taken = 0;
      const die = () => {
        taken++;
        return Promise.reject(new Error('dies'));
      };
      consumeBatches({ name: 'webhooks-dispatch', types: ['client.created'], handle: (events) => events.map(die) });
      const [id] = await publish(org_id);
      await until(() => taken > 0);
      await reconnect();
      return present(id);
    }
  });
});

describe('outcome', () => {
  const now = Date.UTC(2026, 0, 1, 12);
  const minute = 60_000;
  const day = 24 * 3600_000;
  const waits = [5_000, 5 * minute];

  test.each([
    [1, 0, 4_500],
    [1, 0.5, 5_000],
    [1, 1, 5_500],
    [2, 0.5, 5 * minute],
  ])('after attempt %p with random value %p the next one is due %p ms after its end', (made, random, waitMs) => {
    expect(nextAttemptAt(waits, made, now, undefined, random)).toBe(now + waitMs);
  });

  test('there is no attempt after the last wait', () => {
    expect(nextAttemptAt(waits, 3, now, '1')).toBeUndefined();
  });

  test.each([
    ['seconds that are more', '60', 60_000],
    ['seconds that are less', '1', 5_000],
    ['a date', 'Thu, 01 Jan 2026 12:02:00 GMT', 2 * minute],
    ['a date gone by', 'Thu, 01 Jan 2025 12:02:00 GMT', 5_000],
    ['more than a day', '999999', day],
    ['a date far away', 'Thu, 01 Jan 2099 12:00:00 GMT', day],
    ['nonsense', 'soon', 5_000],
    ['a negative number', '-5', 5_000],
  ])('the later of the schedule and a Retry-After of %s counts', (_of, retryAfter, waitMs) => {
    expect(nextAttemptAt(waits, 1, now, retryAfter, 0.5)).toBe(now + waitMs);
  });
});
