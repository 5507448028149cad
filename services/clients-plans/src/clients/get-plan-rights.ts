import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { planById } from '../plans/plan-store.ts';
import { clientById } from './client-store.ts';

/** A client without a plan has every right. */
export const getPlanRights = handle('clients.GetPlanRights', async ({ client_id }, caller) => {
  const client = await clientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  const plan = client.plan_id === null ? null : await planById(caller, client.plan_id);
  const { can_export_code = true, can_use_custom_domain = true } = plan ?? {};
  return { can_export_code, can_use_custom_domain };
});
