import { deleteOrganization } from './delete-organization.ts';
import { eraseOrganizationNow } from './erase-organization.ts';
import { reportErasure } from './report-erasure.ts';
import { restoreOrganization } from './restore-organization.ts';

export const erasureUseCases = (eraseAfterDays: number) => [
  deleteOrganization(eraseAfterDays),
  restoreOrganization,
  eraseOrganizationNow,
  reportErasure,
];
