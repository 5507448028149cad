import { AppError, type ErrorCode } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';

const refusals = {
  can_export_code: 'export_not_allowed',
  can_use_custom_domain: 'custom_domain_not_allowed',
} as const satisfies Record<string, ErrorCode>;

/**
 * Throws the refusal if the plan of the project's client does not include the right. Clients without a plan, and
 * projects without a client, have every right; so do members and API keys of the organization.
 */
export async function assertPlanAllows(
  right: keyof typeof refusals,
  { org_client_id }: { org_client_id: string | null },
  caller: Caller,
): Promise<void> {
  if (caller.principal.user_id === undefined || org_client_id === null) return;
  const rights = await call('clients.GetPlanRights', { client_id: org_client_id }, onBehalf('projects-templates', caller));
  if (!rights[right]) throw new AppError(refusals[right]);
}
