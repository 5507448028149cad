import * as operations from '../../gen/operation-roles.ts';
import type { Key } from './records.ts';
import { type Role, useSession } from './session.ts';

/** The roles with each permission, taken from an API operation. Services decide; this hides what they would refuse. */
const allowed = {
  seeOrganization: operations.listClients,
  write: operations.createProject,
  build: operations.startBuild,
  changeProjects: operations.updateProject,
  writePlans: operations.createPlan,
  managePayments: operations.updateOrder,
  seeOwnBilling: operations.getOwnBilling,
  // A client's own pages, which no operation stands for.
  usePortal: ['client'],
  manageJoining: operations.removeClient,
  manageKeys: operations.createKey,
  manageEmbedding: operations.createEmbedClient,
  readRequests: operations.listRequests,
  manageMembers: operations.inviteMember,
  manageOrganization: operations.updateOrganization,
  // Depends on the role that is granted, which the operation's roles do not express.
  makeOwners: ['owner'],
  seeLimits: operations.getLimits,
  readAudit: operations.listAudit,
  undoAgents: operations.undoAgentSession,
  switchAgents: operations.updateAgentAccess,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof allowed;

export function hasPermission(role: Role | null, permission: Permission): boolean {
  const roles: readonly Role[] = allowed[permission];
  return role !== null && roles.includes(role);
}

export function usePermission(permission: Permission): boolean {
  return hasPermission(useSession().role, permission);
}

/** True for members, and for clients whose agency lets them use its tools: files, deploys, and archiving. */
export function useAgencyTools(): boolean {
  const { role, organization } = useSession();
  return role !== 'client' || organization?.client_tools === true;
}

/** True if the role may do everything that the key may: only then may it rotate or revoke the key. */
export function canManageKey(role: Role | null, { creator_role }: Pick<Key, 'creator_role'>): boolean {
  const atLeast: readonly Role[] = operations.memberRoles.slice(0, operations.memberRoles.indexOf(creator_role ?? 'owner') + 1);
  return role !== null && atLeast.includes(role);
}
