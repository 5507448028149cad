import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { planById } from '../plans/plan-store.ts';
import { clientByEmail } from './client-store.ts';

/** `max_sites` is absent for a client without a plan, which has no limit. */
export const getSiteAllowance = handle('clients.GetSiteAllowance', async ({ client_email }, caller) => {
  const client = await clientByEmail(caller, client_email);
  if (client === null) throw new AppError('client_not_found');
  const plan = client.plan_id === null ? null : await planById(caller, client.plan_id);
  return { client_id: client._id, user_id: client.user_id, status: client.status, max_sites: plan?.max_sites };
});
