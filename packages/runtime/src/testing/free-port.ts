import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below Linux's range of ephemeral ports. */
const firstPort = 10_000;
const lastPort = 19_999;

/** A port of 127.0.0.1 that stays free while unused, for a server that is stopped and started again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort + 1);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(Boolean, () => false);
    probe.close();
    if (isFree) return port;
  }
}
