import { createOrganization } from './create-organization.ts';
import { getBrand } from './get-brand.ts';
import { getLogo } from './get-logo.ts';
import { getOrganization } from './get-organization.ts';
import { listOrganizations } from './list-organizations.ts';

export const organizationUseCases = [createOrganization, getOrganization, listOrganizations, getBrand, getLogo];
