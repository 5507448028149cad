import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above 10080, which fetch and browsers refuse to call (https://fetch.spec.whatwg.org/#port-blocking). */
const firstPort = 10_100;
/** Below Linux's range of ephemeral ports, so that no outgoing connection takes the port before the caller does. */
const lastPort = 19_999;

/** A port that is free at every address of this machine, for a server that is stopped and started again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort + 1);
    const probe = createServer().listen(port);
    const isFree = await once(probe, 'listening').then(Boolean, () => false);
    probe.close();
    if (isFree) return port;
  }
}
