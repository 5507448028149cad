import { type Agency, agency } from '../../../../harness/agency.ts';
import type { Scene } from '../nuisance.ts';

/** Its key may use up all requests of its organization. */
export async function hostileAgency({ facts, requestsPerMinute }: Scene): Promise<Agency> {
  const hostile = await agency(facts, { rateLimit: requestsPerMinute });
  // Each gateway knows its key from now on, whatever other nuisances have done from the hostile address.
  (await hostile.api.get('/clients?limit=1')).expect(200);
  return hostile;
}
