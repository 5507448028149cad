import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { formatApiKey } from '@webkiln/contract';
import { hostileAddress, type Nuisance } from './nuisance.ts';

const inFlight = 32;

/** A stranger that tries one well-formed API key after another. */
export const unknownKeys: Nuisance = {
  name: 'unknown-keys',
  what: 'one address tries well-formed API keys that nobody has',
  async start({ facts }) {
    const agent = new Agent({ keepAlive: true, maxSockets: inFlight, localAddress: hostileAddress });
    const port = new URL(facts.origins[0] ?? '').port;
    const counts = { sent: 0, refused: 0 };
    let stopped = false;
    const attempt = () =>
      new Promise<void>((resolve) => {
        const headers = { authorization: `Bearer ${formatApiKey(randomBytes(32))}` };
        const sent = request({ host: '127.0.0.1', port, path: '/api/v1/plans', headers, agent }, (response) => {
          counts.sent++;
          if (response.statusCode === 429) counts.refused++;
          response.resume().on('close', resolve);
        });
        sent.on('error', () => resolve()).end();
      });
    const loop = async () => {
      while (!stopped) await attempt();
    };
    const loops = Array.from({ length: inFlight }, loop);
    return {
      get attempts() {
        return counts.sent;
      },
      async stop() {
        stopped = true;
        await Promise.all(loops);
        agent.destroy();
        return `${counts.sent} keys tried, ${counts.refused} refused without a lookup`;
      },
    };
  },
};
