import { createOrganization } from './create-organization.ts';
import { getBrand } from './get-brand.ts';
import { getJoining } from './get-joining.ts';
import { getLogo } from './get-logo.ts';
import { getOrganization } from './get-organization.ts';
import { listOrganizations } from './list-organizations.ts';
import { openOrganization } from './open-organization.ts';
import { updateOrganization } from './update-organization.ts';

export const organizationUseCases = [
  createOrganization,
  openOrganization,
  ...getOrganization,
  updateOrganization,
  listOrganizations,
  getBrand,
  getJoining,
  getLogo,
];
