import { hostileAgency } from '../means/hostile-agency.ts';
import { RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

/** A program that lists as fast as it is answered, refused or not. */
export const apiFlood: Nuisance = {
  name: 'api-flood',
  what: 'a tenant calls the API without a pause over 64 connections',
  unbounded: { RATE_LIMIT: '1000000', QUOTA_REQUESTS: '1000000', CREDENTIAL_CONCURRENCY: '100000' },
  async start(scene) {
    const { api } = await hostileAgency(scene);
    const headers = { authorization: `Bearer ${api.key}` };
    const loops = new RequestLoops({ origin: api.baseUrl, inFlight: 64, next: () => ({ path: '/api/v1/clients', headers }) });
    return {
      get attempts() {
        return loops.answered;
      },
      async stop() {
        await loops.stop();
        return `${loops.answered} requests, ${loops.statuses.get(200) ?? 0} passed`;
      },
    };
  },
};
