import { admitClientUser, admitOwnClient, assertDefaultPlan, joinOrganization } from './admit-client.ts';
import { createClient } from './create-client.ts';
import {
  findPlanAllowing,
  getClient,
  getClientJoining,
  getClientUser,
  getPlanRights,
  getSiteAllowance,
  listClients,
} from './read-clients.ts';
import { removeClient, updateClient } from './update-client.ts';

export const clientUseCases = [
  listClients,
  createClient,
  getClient,
  updateClient,
  getSiteAllowance,
  admitClientUser,
  admitOwnClient,
  joinOrganization,
  assertDefaultPlan,
  getClientJoining,
  getClientUser,
  removeClient,
  getPlanRights,
  findPlanAllowing,
];
