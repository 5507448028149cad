/**
 * A hand-written dispatcher: a signed fetch, a write and an acknowledgement per event of the stream. Prints its figures
 * as JSON.
 */
import { generateWebhookSecret, signWebhook } from '@webkiln/contract';
import { MongoClient } from 'mongodb';
import { AckPolicy, connect, DeliverPolicy, type JsMsg } from 'nats';

const { RECEIVER = '', NATS_URL = '', MONGODB_URL = '', FIRST = '', COUNT = '', NAME = '' } = process.env;
const concurrency = 64;
const stream = 'EVENTS';
const secret = generateWebhookSecret();

const mongo = await MongoClient.connect(MONGODB_URL, { writeConcern: { w: 'majority', journal: true } });
const outcomes = mongo.db().collection(NAME);
const nats = await connect({ servers: NATS_URL });
const manager = await nats.jetstreamManager();
await manager.consumers.add(stream, {
  durable_name: NAME,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.StartSequence,
  opt_start_seq: Number(FIRST),
  filter_subject: 'events.client.updated',
});

async function deliver(message: JsMsg): Promise<void> {
  const body = message.string();
  const { id, org_id, type } = message.json<{ id: string; org_id: string; type: string }>();
  const at = new Date();
  const timestamp = Math.floor(at.getTime() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([secret], id, timestamp, body),
  };
  const response = await fetch(RECEIVER, { method: 'POST', headers, body });
  await response.text();
  await outcomes.insertOne({ event_id: id, org_id, type, body, at, status: response.status });
  message.ack();
}

const consumer = await nats.jetstream().consumers.get(stream, NAME);
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const pendingDeliveries = new Set<Promise<void>>();
let deliveries = 0;
for await (const message of await consumer.consume({ max_messages: 2 * concurrency })) {
  const delivery = deliver(message).finally(() => pendingDeliveries.delete(delivery));
  pendingDeliveries.add(delivery);
  deliveries += 1;
  if (deliveries === Number(COUNT)) break;
  if (pendingDeliveries.size >= concurrency) await Promise.race(pendingDeliveries);
}
await Promise.all(pendingDeliveries);
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ deliveries, seconds: (performance.now() - startedAt) / 1000, cpuMicros: user + system }));
await manager.consumers.delete(stream, NAME);
await nats.close();
await mongo.close();
