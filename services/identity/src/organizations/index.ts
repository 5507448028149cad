import { getAgentAccess, updateAgentAccess } from './agent-access.ts';
import { createOrganization, openOrganization } from './create-organization.ts';
import { deleteOrganization, eraseOrganizationNow, reportErasure, restoreOrganization } from './erase-organization.ts';
import { getAccount } from './get-account.ts';
import {
  exportOrganization,
  getLimits,
  recordDeadLetter,
  recordReplay,
  renameOrganization,
  resumeOrganization,
  setLimit,
  suspendOrganization,
} from './operator-use-cases.ts';
import type { OrgPolicySettings } from './org-policy.ts';
import { getJoining, getLogo, getOrganization, listOrganizations } from './read-organizations.ts';
import { updateOrganization } from './update-organization.ts';

export const organizationUseCases = (eraseAfterDays: number, quotas: OrgPolicySettings, platformUrl: string) => [
  getAccount(quotas, platformUrl),
  createOrganization,
  openOrganization,
  ...getOrganization,
  updateOrganization,
  listOrganizations,
  getJoining,
  getLogo,
  getAgentAccess,
  updateAgentAccess,
  suspendOrganization,
  resumeOrganization,
  exportOrganization,
  recordDeadLetter,
  recordReplay,
  renameOrganization,
  ...getLimits(quotas),
  setLimit(quotas),
  deleteOrganization(eraseAfterDays),
  restoreOrganization,
  eraseOrganizationNow,
  reportErasure,
];
