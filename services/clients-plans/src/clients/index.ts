import { admitClientUser } from './admit-client-user.ts';
import { createClient } from './create-client.ts';
import { getClient } from './get-client.ts';
import { getPlanRights } from './get-plan-rights.ts';
import { getSiteAllowance } from './get-site-allowance.ts';
import { joinOrganization } from './join-organization.ts';
import { listClients } from './list-clients.ts';
import { updateClient } from './update-client.ts';

export const clientUseCases = [
  listClients,
  createClient,
  getClient,
  updateClient,
  getSiteAllowance,
  admitClientUser,
  joinOrganization,
  getPlanRights,
];
