/** A webhook receiver that answers 204 at once. `GET /` returns the tally since the last `DELETE /`. */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Tally } from './tally.ts';

let ids = new Set<string>();
let latenciesMs: number[] = [];
let [firstAt, lastAt] = [0n, 0n];

function reset(): void {
  ids = new Set();
  latenciesMs = [];
  [firstAt, lastAt] = [0n, 0n];
}

/** Repeated deliveries count once. */
async function record(request: IncomingMessage): Promise<void> {
  const id = String(request.headers['webhook-id']);
  const now = process.hrtime.bigint();
  if (ids.has(id)) return;
  ids.add(id);
  if (firstAt === 0n) firstAt = now;
  lastAt = now;
  if (request.url !== '/timed') return;
  // The client's name holds the time of the request. All processes share one clock (CLOCK_MONOTONIC).
  const { data } = JSON.parse(await text(request));
  latenciesMs.push(Number(now - BigInt(data.client.name)) / 1e6);
}

function tally(): Tally {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const [p50Ms = 0, p99Ms = 0] = [0.5, 0.99].map((share) => sorted[Math.ceil(sorted.length * share) - 1]);
  return { count: ids.size, seconds: Number(lastAt - firstAt) / 1e9, p50Ms, p99Ms };
}

createServer((request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(tally()));
  if (request.method === 'DELETE') reset();
  else void record(request);
  request.resume();
  response.writeHead(204).end();
}).listen(Number(process.env.PORT), '127.0.0.1');
