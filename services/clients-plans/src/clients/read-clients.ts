import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { planById } from '../plans/plan-store.ts';
import { toClient } from './client.ts';
import { clientByEmail, clientById, clientPage, shownClientById } from './client-store.ts';

export const listClients = handle('clients.ListClients', async (page, caller) => {
  const { records, total, next_cursor } = await clientPage(caller, page);
  return { clients: records.map(toClient), total, next_cursor };
});

export const getClient = handle('clients.GetClient', async ({ client_id }, caller) => {
  const client = await shownClientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  return { client: toClient(client), etag: etagOf(client) };
});

/** A client without a plan has every right. */
export const getPlanRights = handle('clients.GetPlanRights', async ({ client_id }, caller) => {
  const client = await clientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  const plan = client.plan_id === null ? null : await planById(caller, client.plan_id);
  const { can_export_code = true, can_use_custom_domain = true } = plan ?? {};
  return { can_export_code, can_use_custom_domain };
});

/** `max_sites` is absent for a client without a plan, which has no limit. */
export const getSiteAllowance = handle('clients.GetSiteAllowance', async ({ client_email }, caller) => {
  const client = await clientByEmail(caller, client_email);
  if (client === null) throw new AppError('client_not_found');
  const plan = client.plan_id === null ? null : await planById(caller, client.plan_id);
  return { client_id: client._id, user_id: client.user_id, status: client.status, max_sites: plan?.max_sites };
});
