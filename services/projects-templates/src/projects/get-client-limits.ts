import { onBehalf } from '@webkiln/messages';
import { planUse } from '@webkiln/org-policy';
import { call, handle } from '@webkiln/rpc';
import { type Scope, scoped, where } from '@webkiln/store';
import { projectsWithDomains } from '../domains/domain-store.ts';
import { countSites } from './project-places.ts';
import { ProjectModel } from './project-store.ts';

/** How many custom domains the sites of a client have, active or not. */
async function countDomains(scope: Scope & { readonly org_id: string }, org_client_id: string): Promise<number> {
  const ids = await projectsWithDomains(scope);
  const own = await scoped(ProjectModel, scope).find({ _id: where({ $in: [...new Set(ids)] }), org_client_id }, { fields: [] });
  const owned = new Set(own.map(({ _id }) => _id));
  return ids.filter((id) => owned.has(id)).length;
}

/** What a plan allows a client: the client's own plan, or the one that is named. */
export const getClientLimits = handle('projects.GetClientLimits', async ({ client_id, plan_id }, caller) => {
  const { org_id } = caller.principal;
  const plan = await call('clients.GetPlanRights', { client_id, plan_id }, onBehalf('projects-templates', caller));
  const [sites, domains] = await Promise.all([countSites(org_id, client_id), countDomains({ org_id }, client_id)]);
  const unlimited = (isIncluded: boolean) => (isIncluded ? null : 0);
  return {
    limits: [
      planUse('max_sites', plan.max_sites ?? null, sites, plan.plan_name),
      planUse('max_ai_messages_daily', plan.max_ai_messages_daily ?? null, null, plan.plan_name),
      planUse('can_export_code', unlimited(plan.can_export_code), null, plan.plan_name),
      planUse('can_use_custom_domain', unlimited(plan.can_use_custom_domain), domains, plan.plan_name),
    ],
  };
});
