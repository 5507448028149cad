import type { QuotaSettings } from '@webkiln/standing/settings';
import { createOrganization } from './create-organization.ts';
import { getBrand } from './get-brand.ts';
import { getLimits } from './get-limits.ts';
import { getLogo } from './get-logo.ts';
import { getOrganization } from './get-organization.ts';
import { listOrganizations } from './list-organizations.ts';
import { openOrganization } from './open-organization.ts';
import { resumeOrganization } from './resume-organization.ts';
import { setLimit } from './set-limit.ts';
import { suspendOrganization } from './suspend-organization.ts';
import { updateOrganization } from './update-organization.ts';

export const organizationUseCases = (quotas: QuotaSettings) => [
  createOrganization,
  openOrganization,
  ...getOrganization,
  updateOrganization,
  listOrganizations,
  suspendOrganization,
  resumeOrganization,
  getLimits(quotas),
  setLimit(quotas),
  getBrand,
  getLogo,
];
