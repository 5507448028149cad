import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above 10080, which fetch and browsers refuse to call (https://fetch.spec.whatwg.org/#port-blocking). */
const firstPort = 10_100;
/** Below Linux's range of ephemeral ports, so that no outgoing connection takes the port before the caller does. */
const lastPort = 19_999;

/** Suites run beside each other, each in the worker of its number. */
const maxWorkers = 8;
const perWorker = Math.floor((lastPort + 1 - firstPort) / maxWorkers);
const { JEST_WORKER_ID = String(randomInt(maxWorkers)) } = process.env;
const firstOfWorker = firstPort + (Number(JEST_WORKER_ID) % maxWorkers) * perWorker;
let next = randomInt(perWorker);

/**
 * A port that is free at every address of this machine, for a server that is stopped and started again. No other call
 * in this process or another worker returns it soon: its server may start later.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % perWorker;
    const port = firstOfWorker + next;
    const probe = createServer().listen(port);
    const isFree = await once(probe, 'listening').then(Boolean, () => false);
    probe.close();
    if (isFree) return port;
  }
}
