/**
 * The minimum cost of a delivery: signed requests through undici's pool without storing anything. Prints its figures as
 * JSON.
 */
import { generateWebhookSecret, signWebhook } from '@webkiln/contract';
import { Pool } from 'undici';
import { eventOf } from '../backlog.ts';

const { RECEIVER = '', SECONDS = '' } = process.env;
const concurrency = 64;
const { origin, pathname } = new URL(RECEIVER);
const pool = new Pool(origin, { connections: concurrency });
const secret = generateWebhookSecret();
const { id, ...event } = eventOf('bench');
const body = JSON.stringify({ id, ...event });

async function deliver(index: number): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': `${id}-${index}`,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([secret], `${id}-${index}`, timestamp, body),
  };
  const response = await pool.request({ method: 'POST', path: pathname, headers, body });
  await response.body.dump();
}

let deliveries = 0;
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const endAt = startedAt + Number(SECONDS) * 1000;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (performance.now() < endAt) await deliver(deliveries++);
  }),
);
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ deliveries, seconds: (performance.now() - startedAt) / 1000, cpuMicros: user + system }));
await pool.close();
