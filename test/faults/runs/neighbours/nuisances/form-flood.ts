import { randomInt, randomUUID } from 'node:crypto';
import { hostileSite } from '../means/publish-site.ts';
import { RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

/** Visitors of one site that send its form from one address after the other. */
export const formFlood: Nuisance = {
  name: 'form-flood',
  what: 'the form of one site is sent thousands of times from changing addresses',
  unbounded: { FORMS_PER_SITE_HOUR: '1000000', QUOTA_FORM_SUBMISSIONS: '1000000', QUOTA_EVENTS: '1000000' },
  async start(scene) {
    const { host } = new URL(await hostileSite(scene));
    const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
    const next = () => ({
      method: 'POST' as const,
      path: '/_forms/contact',
      headers,
      body: `message=${randomUUID()}`,
      from: `127.2.${randomInt(256)}.${randomInt(1, 255)}`,
    });
    const loops = new RequestLoops({ origin: scene.facts.origins[0] ?? '', inFlight: 32, next });
    return {
      get attempts() {
        return loops.answered;
      },
      async stop() {
        await loops.stop();
        return `${loops.answered} forms sent, ${loops.statuses.get(303) ?? 0} accepted`;
      },
    };
  },
};
