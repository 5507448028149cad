/** The least that a delivery can cost: signed requests by undici's pool, and nothing kept of them. Prints what came of it as JSON. */
import { generateWebhookSecret, signWebhook } from '@webkiln/contract';
import { Pool } from 'undici';
import { eventOf } from '../backlog.ts';

const { RECEIVER = '', SECONDS = '' } = process.env;
const inFlight = 64;
const { origin, pathname } = new URL(RECEIVER);
const pool = new Pool(origin, { connections: inFlight });
const secret = generateWebhookSecret();
const { id, ...event } = eventOf('bench');
const body = JSON.stringify({ id, ...event });

async function deliver(turn: number): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': `${id}-${turn}`,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([secret], `${id}-${turn}`, timestamp, body),
  };
  const response = await pool.request({ method: 'POST', path: pathname, headers, body });
  await response.body.dump();
}

let deliveries = 0;
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const until = startedAt + Number(SECONDS) * 1000;
await Promise.all(
  Array.from({ length: inFlight }, async () => {
    while (performance.now() < until) await deliver(deliveries++);
  }),
);
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ deliveries, seconds: (performance.now() - startedAt) / 1000, cpuMicros: user + system }));
await pool.close();
