import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { type SessionRole, sessionRoles } from './roles.ts';

/** Who of those who are signed in may call something, and whether nobody else may. */
export interface Access {
  /** `anyone`: whoever is signed in, without a role in an organization too. */
  readonly roles: ReadonlySet<SessionRole> | 'anyone';
  readonly peopleOnly: boolean;
}

const reading = new Set<SessionRole>(['owner', 'admin', 'developer', 'viewer']);
const writing = new Set<SessionRole>(['owner', 'admin', 'developer']);
const usual = { read: reading, write: writing };

/** Who may use an endpoint. */
export function accessTo({ roles, permission, credential }: Pick<Endpoint, 'roles' | 'permission' | 'credential'>): Access {
  const named = roles === undefined || roles === 'anyone' ? roles : new Set(roles);
  return { roles: named ?? usual[permission], peopleOnly: credential === 'session' };
}

const accessByRpc = new Map<string, Access>(Object.values(endpoints).map((endpoint) => [endpoint.rpc, accessTo(endpoint)]));

/** Who may have an RPC done (`projects.GetProject`): what its endpoint says. Undefined where none names it: then nobody who is signed in. */
export const rolesOf = (rpc: string): Access | undefined => accessByRpc.get(rpc);

/** Whether somebody of this role is let in; without a role only where anyone is. */
export const isAllowed = ({ roles }: Access, role: SessionRole | undefined): boolean =>
  roles === 'anyone' || (role !== undefined && sessionRoles.includes(role) && roles.has(role));
