import { randomUUID } from 'node:crypto';
import { hostileAgency } from '../means/hostile-agency.ts';
import { refusedDomain } from '../means/mail-relay.ts';
import { jsonRequest, RequestLoops } from '../means/request-loops.ts';
import type { Nuisance } from '../nuisance.ts';

/** A tenant that operators trust with many mails, whose invitations all go to a domain that takes none. */
export const refusedMails: Nuisance = {
  name: 'refused-mails',
  what: 'a tenant invites as many people as it can, whose mails the relay refuses with 554',
  unbounded: { QUOTA_REQUESTS: '1000000', QUOTA_CLIENTS: '1000000', CREDENTIAL_CONCURRENCY: '100000', QUOTA_EVENTS: '1000000' },
  async start(scene) {
    const { api } = await hostileAgency(scene);
    const next = () => jsonRequest('POST', '/api/v1/clients', api.key, { email: `${randomUUID()}@${refusedDomain}` });
    const loops = new RequestLoops({ origin: api.baseUrl, inFlight: 32, next });
    return {
      get attempts() {
        return loops.statuses.get(201) ?? 0;
      },
      async stop() {
        await loops.stop();
        return `${loops.statuses.get(201) ?? 0} people invited, ${loops.statuses.get(429) ?? 0} requests refused`;
      },
    };
  },
};
