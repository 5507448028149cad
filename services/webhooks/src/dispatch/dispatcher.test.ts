import { Webhook } from 'standardwebhooks';
import { present } from '../testing/calls.ts';
import { idsOf, status } from '../testing/receiver.ts';
import { endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';

const { receiver, start, publish } = useDispatcher();

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
