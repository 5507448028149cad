import { exportOrganization } from './export-organization.ts';
import { getLimits } from './get-limits.ts';
import { resumeOrganization } from './resume-organization.ts';
import { setLimit } from './set-limit.ts';
import type { StandingSettings } from './standing.ts';
import { suspendOrganization } from './suspend-organization.ts';

export const standingUseCases = (quotas: StandingSettings) => [
  suspendOrganization,
  resumeOrganization,
  exportOrganization,
  ...getLimits(quotas),
  setLimit(quotas),
];
