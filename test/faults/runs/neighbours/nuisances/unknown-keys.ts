import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@webkiln/contract';
import { RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

/** A stranger that tries one well-formed API key after another. */
export const unknownKeys: Nuisance = {
  name: 'unknown-keys',
  what: 'one address tries well-formed API keys that nobody has',
  unbounded: { RATE_LIMIT: '1000000' },
  async start({ facts }) {
    const next = () => ({ path: '/api/v1/plans', headers: { authorization: `Bearer ${formatApiKey(randomBytes(32))}` } });
    const loops = new RequestLoops({ origin: facts.origins[0] ?? '', inFlight: 96, next });
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
