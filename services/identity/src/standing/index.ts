import type { QuotaSettings } from '@webkiln/standing/settings';
import { getLimits } from './get-limits.ts';
import { resumeOrganization } from './resume-organization.ts';
import { setLimit } from './set-limit.ts';
import { suspendOrganization } from './suspend-organization.ts';

export const standingUseCases = (quotas: QuotaSettings) => [suspendOrganization, resumeOrganization, getLimits(quotas), setLimit(quotas)];
