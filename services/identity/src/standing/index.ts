import { exportOrganization } from './export-organization.ts';
import { getLimits } from './get-limits.ts';
import { recordDeadLetter } from './record-dead-letter.ts';
import { resumeOrganization } from './resume-organization.ts';
import { setLimit } from './set-limit.ts';
import type { StandingSettings } from './standing.ts';
import { suspendOrganization } from './suspend-organization.ts';

export const standingUseCases = (quotas: StandingSettings) => [
  suspendOrganization,
  resumeOrganization,
  exportOrganization,
  recordDeadLetter,
  ...getLimits(quotas),
  setLimit(quotas),
];
