import { agency } from '../../../harness/agency.ts';
import type { Nuisance } from './nuisance.ts';
import { RequestLoops } from './request-loops.ts';

/** A program that lists as fast as it is answered, refused or not. */
export const apiFlood: Nuisance = {
  name: 'api-flood',
  what: 'a tenant calls the API without a pause over 64 connections',
  async start({ facts }) {
    const { api } = await agency(facts);
    const loops = new RequestLoops({ origin: api.baseUrl, path: '/api/v1/clients', inFlight: 64, key: () => api.key ?? '' });
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
