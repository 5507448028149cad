import { randomInt } from 'node:crypto';
import { RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

/** Strangers in many networks that try passwords on the account of the neighbour's owner. */
export const wrongPasswords: Nuisance = {
  name: 'wrong-passwords',
  what: 'thousands of addresses try wrong passwords on the account of its owner',
  unbounded: 'counts of attempts are constants: docs/decisions/0041; brute-force.test.ts fails without them',
  async start({ facts, victim }) {
    const [origin = ''] = facts.origins;
    const headers = { origin, 'content-type': 'application/json' };
    const next = () => ({
      method: 'POST' as const,
      path: '/api/auth/sign-in/email',
      headers,
      body: JSON.stringify({ email: victim, password: `wrong password ${randomInt(1_000_000)}` }),
      from: `127.3.${randomInt(256)}.${randomInt(1, 255)}`,
    });
    const loops = new RequestLoops({ origin, inFlight: 32, next });
    return {
      get attempts() {
        return loops.answered;
      },
      async stop() {
        await loops.stop();
        return `${loops.statuses.get(401) ?? 0} passwords checked, ${loops.statuses.get(429) ?? 0} attempts refused`;
      },
    };
  },
};
