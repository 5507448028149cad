import { type Role, useSession } from './session.ts';

const members: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];

/** What is offered to whom. The services decide; this only leaves out what they would refuse. */
const allowed = {
  seeOrganization: members,
  write: ['owner', 'admin', 'developer'],
  changeProjects: ['owner', 'admin', 'developer', 'client'],
  writePlans: ['owner', 'admin'],
  manageKeys: ['owner', 'admin', 'developer'],
  manageEmbedding: ['owner', 'admin', 'developer'],
  readRequests: ['owner', 'admin', 'developer'],
  manageMembers: ['owner', 'admin'],
  manageOrganization: ['owner', 'admin'],
  makeOwners: ['owner'],
  readAudit: ['owner'],
} as const satisfies Record<string, readonly Role[]>;

export type Act = keyof typeof allowed;

export function may(role: Role | null, act: Act): boolean {
  const roles: readonly Role[] = allowed[act];
  return role !== null && roles.includes(role);
}

export function useMay(act: Act): boolean {
  return may(useSession().role, act);
}
