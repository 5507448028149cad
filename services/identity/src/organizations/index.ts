import { createOrganization } from './create-organization.ts';
import { getOrganization } from './get-organization.ts';
import { listOrganizations } from './list-organizations.ts';

export const organizationUseCases = [createOrganization, getOrganization, listOrganizations];
