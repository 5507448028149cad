import { AppError, type PlanLimit } from '@webkiln/contract';
import { dailyMessagesWithoutPlan } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { etagOf, type Scope } from '@webkiln/store';
import { cheapestOf } from '../plans/plan.ts';
import { offersAllowing, planById } from '../plans/plan-store.ts';
import { toClient } from './client.ts';
import { type ClientRecord, clientByEmail, clientById, clientPage, existingClient, shownClientById } from './client-store.ts';

export const listClients = handle('clients.ListClients', async (page, caller) => {
  const { records, total, next_cursor } = await clientPage(caller, page);
  return { clients: records.map(toClient), total, next_cursor };
});

export const getClient = handle('clients.GetClient', async ({ client_id }, caller) => {
  const client = await shownClientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  return { client: toClient(client), etag: etagOf(client) };
});

export const getClientUser = handle('clients.GetClientUser', async ({ client_id }, caller) => {
  const { user_id } = await existingClient(caller, client_id);
  return { user_id };
});

export const getClientJoining = handle('clients.GetClientJoining', async ({ client_id }, caller) => {
  const client = await clientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  return { build_link_id: client.joined_by ?? undefined };
});

/** The sites of a client who joined by a link and has no plan. */
const maxSitesOfJoined = 3;

/** What a client may have by its plan. A client of the organization's own without a plan has no limit of sites. */
export async function allowanceOf(scope: Scope, { plan_id, joined_by = null }: Pick<ClientRecord, 'plan_id' | 'joined_by'>) {
  const plan = plan_id === null ? null : await planById(scope, plan_id);
  const joined_by_link = joined_by !== null;
  return {
    max_sites: plan?.max_sites ?? (joined_by_link ? maxSitesOfJoined : undefined),
    max_ai_messages_daily: plan?.max_ai_messages_daily,
    joined_by_link,
  };
}

/** A client without a plan has every right, unless it joined by a link. */
export const getPlanRights = handle('clients.GetPlanRights', async ({ client_id, plan_id: wanted }, caller) => {
  const client = await clientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  const plan_id = wanted ?? client.plan_id;
  const plan = plan_id === null ? null : await planById(caller, plan_id);
  if (plan === null && wanted !== undefined) throw new AppError('plan_not_found');
  const byDefault = !client.joined_by;
  const { can_export_code = byDefault, can_use_custom_domain = byDefault } = plan ?? {};
  const { max_sites, max_ai_messages_daily = dailyMessagesWithoutPlan } = await allowanceOf(caller, { ...client, plan_id });
  return { can_export_code, can_use_custom_domain, plan_name: plan?.name, max_sites, max_ai_messages_daily };
});

export const findPlanAllowing = handle('clients.FindPlanAllowing', async ({ client_id, limit, used }, caller) => {
  const client = await clientById(caller, client_id);
  if (client === null) throw new AppError('client_not_found');
  const own = client.plan_id === null ? null : planById(caller, client.plan_id);
  const [plan, offers] = await Promise.all([own, offersAllowing(caller, limit as PlanLimit, used)]);
  const better = cheapestOf(offers);
  const allowed = better?.[limit as PlanLimit];
  return {
    plan_name: plan?.name,
    found: better && { id: better._id, name: better.name, allowed: typeof allowed === 'number' ? allowed : 0 },
  };
});

/** `max_sites` is absent for a client without a limit. */
export const getSiteAllowance = handle('clients.GetSiteAllowance', async ({ client_email }, caller) => {
  const client = await clientByEmail(caller, client_email);
  if (client === null) throw new AppError('client_not_found');
  const { max_sites, joined_by_link } = await allowanceOf(caller, client);
  return { client_id: client._id, user_id: client.user_id, status: client.status, max_sites, joined_by_link };
});
