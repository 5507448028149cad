import { type Caller, onBehalf } from '@webkiln/messages';
import { namingPlans, PlanLimitReached } from '@webkiln/org-policy';
import { call } from '@webkiln/rpc';

type Right = 'can_export_code' | 'can_use_custom_domain';

/**
 * Throws the refusal if the plan of the project's client does not include the right. Clients without a plan, and
 * projects without a client, have every right; so do members and API keys of the organization.
 */
export async function assertPlanAllows(limit: Right, { org_client_id }: { org_client_id: string | null }, caller: Caller): Promise<void> {
  if (caller.principal.user_id === undefined || org_client_id === null) return;
  const asking = { service: 'projects-templates', caller, client_id: org_client_id } as const;
  await namingPlans(asking, async () => {
    const rights = await call('clients.GetPlanRights', { client_id: org_client_id }, onBehalf('projects-templates', caller));
    if (!rights[limit]) throw new PlanLimitReached({ limit, allowed: 0, used: 0 });
  });
}
