import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import type { Nuisance } from './nuisance.ts';
import { RequestLoops } from './request-loops.ts';

/** A stranger that tries one well-formed API key after another. */
export const unknownKeys: Nuisance = {
  name: 'unknown-keys',
  what: 'one address tries well-formed API keys that nobody has',
  async start({ facts }) {
    const key = () => formatApiKey(randomBytes(32));
    const loops = new RequestLoops({ origin: facts.origins[0] ?? '', path: '/api/v1/plans', inFlight: 32, key });
    return {
      get attempts() {
        return loops.answered;
      },
      async stop() {
        await loops.stop();
        return `${loops.answered} keys tried, ${loops.statuses.get(429) ?? 0} refused without a lookup`;
      },
    };
  },
};
