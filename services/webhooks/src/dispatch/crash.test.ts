import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { consumeBatches } from '@webkiln/events';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { addDelivery } from '../deliveries/delivery-store.ts';
import { present } from '../testing/calls.ts';
import { idsOf } from '../testing/receiver.ts';
import { endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { masterKey } from '../testing/running-service.ts';
import { newDelivery } from './attempts/first-attempt.ts';

const { receiver, start, publish, stream, allAcknowledged, reconnect } = useDispatcher();

test('an event is delivered again, with the same id and body, if its process is killed before the outcome is written', async () => {
  const { org_id } = await endpointAt(receiver.url());
  const env = {
    ...process.env,
    DATABASE: mongoose.connection.name,
    STREAM: stream().stream,
    SUBJECT_PREFIX: stream().subjectPrefix,
    MASTER_KEY: masterKey.toString('base64'),
  };
  const dying = spawn(process.execPath, [require.resolve('../testing/dying-dispatcher.ts')], { env, stdio: 'ignore' });
  const exited = once(dying, 'exit');
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
