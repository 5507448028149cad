import { type AgentScope, agentAbilities, baseScope, defaultScope, needsOpening } from '../agents/agent-abilities.ts';
import { allTools } from '../agents/more-tools.ts';
import type { AgentAccess, AgentOpening } from '../areas/account/agent-access.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { AppError } from '../errors.ts';
import type { KeyArea, Operation, Permission } from './operation.ts';
import { operations } from './operations.ts';
import { type SessionRole, sessionRoles } from './roles.ts';

/** The callers that may call an operation. */
export interface Access {
  /** `anyone`: every session, also one without a role in an organization. */
  readonly roles: ReadonlySet<SessionRole> | 'anyone';
  /**
   * The permission that an API key needs. Absent for RPCs: a service may read elsewhere on behalf of a write-only key.
   */
  readonly permission?: Permission;
  /** The area of the organization that the operation manages. */
  readonly area?: KeyArea | undefined;
  /** For sessions only: API keys are refused. */
  readonly peopleOnly: boolean;
  /** Every API key may call it, also one that is restricted to a client. */
  readonly takesAnyKey: boolean;
  /** How a credential of one project may call it: `named`, for that project; `narrowed`, and hears of it alone. */
  readonly projects?: 'named' | 'narrowed' | undefined;
  /** For people, however they prove themselves: API keys alone are refused. */
  readonly refusesKeys: boolean;
  /** A client's session may call it only where the agency has switched its tools on for clients. */
  readonly isAgencyTool: boolean;
  /** Embed tokens may call it. */
  readonly embed: boolean;
  /** Agents whose OAuth token has this scope may call it, within the role of their person. Absent: no agent may. */
  readonly agentScope?: AgentScope | undefined;
}

const reading = new Set<SessionRole>(['owner', 'admin', 'developer', 'viewer']);
const writing = new Set<SessionRole>(['owner', 'admin', 'developer']);
const defaults = { read: reading, write: writing };

const scopeByRpc: ReadonlyMap<string, AgentScope> = new Map(
  agentAbilities.flatMap(({ scope, operations: names }) => names.map((name) => [operationNamed(name).rpc, scope])),
);

function operationNamed(name: string): Operation {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`agents may do ${name}, which is no operation`);
  return operation;
}

/** The access fields of an operation. */
export function accessTo({
  roles,
  permission,
  area,
  credential,
  isAgencyTool = false,
  embed = false,
  rpc,
  ...named
}: Pick<Operation, 'roles' | 'permission' | 'area' | 'credential' | 'rpc' | 'narrows'> & {
  readonly method?: Operation['method'];
  readonly path?: string;
  readonly input?: Operation['input'];
  readonly embed?: boolean;
  readonly isAgencyTool?: boolean;
}): Access {
  const declared = roles === undefined || roles === 'anyone' ? roles : new Set(roles);
  return {
    roles: declared ?? defaults[permission],
    ...(credential !== 'anyKey' && { permission: area ?? permission }),
    area,
    peopleOnly: credential === 'session',
    takesAnyKey: credential === 'anyKey',
    projects: projectsOf(named),
    refusesKeys: credential === 'person',
    isAgencyTool,
    embed,
    agentScope: scopeByRpc.get(rpc),
  };
}

/** A project is named by the path, or by a parameter of the query. */
function projectsOf({ narrows, path = '', method, input }: Partial<Pick<Operation, 'narrows' | 'path' | 'method' | 'input'>>) {
  if (narrows) return 'narrowed';
  return path.includes('{projectId}') || (method === 'GET' && input !== undefined && 'project_id' in input.shape) ? 'named' : undefined;
}

const accessByRpc = new Map<string, Access>(
  Object.values(operations).map((operation) => [operation.rpc, { ...accessTo(operation), permission: operation.area }]),
);

/**
 * The access to an RPC (`projects.GetProject`), after the gateway has checked whether the key may read or write.
 * Undefined if no operation maps to it.
 */
export const accessToRpc = (rpc: string): Access | undefined => accessByRpc.get(rpc);

/** The fields of a caller that access depends on. */
interface Principal {
  readonly kind: 'api_key' | 'session' | 'oauth_token' | 'embed_token' | 'operator' | 'service';
  readonly permissions: readonly Permission[];
  /** The member's present role, or the role that the API key's creator had. */
  readonly role?: SessionRole | undefined;
  /** True for the session of a client whose agency lets clients use its tools. */
  readonly has_agency_tools?: boolean | undefined;
  /** The client to whose websites the caller is restricted. */
  readonly client_id?: string | undefined;
  /** The project that the key or the OAuth token is limited to. */
  readonly project_id?: string | undefined;
  /** What the person of an OAuth token allowed; none in tokens of before there were several scopes. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Decides whether a caller may call an operation, for the gateway and all services. Returns the code of the refusal, or
 * undefined if the call is allowed. Sessions, keys and tokens may call no RPC without an operation. Which RPCs
 * operators and services call is not decided here, but by packages/rpc/src/server/own-calls.ts.
 */
export function refusalOf(principal: Principal, access: Access | undefined): AccessRefusal | undefined {
  const { kind, permissions, role } = principal;
  if (kind === 'embed_token') return access?.embed ? undefined : 'embed_token_refused';
  if (kind === 'session') {
    if (access === undefined || !hasRole(access, role)) return 'role_missing';
    return access.isAgencyTool && lacksAgencyTools(principal) ? 'agency_tools_off' : undefined;
  }
  if (kind !== 'api_key' && kind !== 'oauth_token') return undefined;
  if (access === undefined) return 'permission_missing';
  if (access.peopleOnly) return 'session_required';
  if (kind === 'oauth_token') {
    if (access.agentScope === undefined) return 'oauth_token_refused';
    if (isBeyondProject(principal, access)) return 'project_restricted';
    if (isBeyondClient(principal, access)) return 'key_restricted';
    // Of what its person allowed, a token does what the person may do: the role decides, as in a session.
    if (!hasRole(access, role)) return 'role_missing';
    return hasScope(principal, access.agentScope) ? undefined : 'insufficient_scope';
  }
  if (access.refusesKeys) return 'person_required';
  if (isBeyondProject(principal, access)) return 'project_restricted';
  if (isBeyondClient(principal, access)) return 'key_restricted';
  if (access.permission !== undefined && !permissions.includes(access.permission)) return 'permission_missing';
  return role === undefined || hasRole(access, role) ? undefined : 'role_missing';
}

type AccessRefusal = Extract<
  ErrorCode,
  | 'role_missing'
  | 'agency_tools_off'
  | 'session_required'
  | 'permission_missing'
  | 'key_restricted'
  | 'project_restricted'
  | 'embed_token_refused'
  | 'oauth_token_refused'
  | 'insufficient_scope'
  | 'person_required'
>;

/** True for a credential of one project and an operation that is of none. */
const isBeyondProject = ({ project_id }: Pick<Principal, 'project_id'>, { projects, takesAnyKey }: Access): boolean =>
  project_id !== undefined && projects === undefined && !takesAnyKey;

/** True for a credential of one client and an operation that concerns more than its websites. */
const isBeyondClient = ({ client_id, role }: Pick<Principal, 'client_id' | 'role'>, access: Access): boolean =>
  client_id !== undefined && role !== 'client' && !access.takesAnyKey && !hasRole(access, 'client');

/** True if the person of an OAuth token allowed what the scope stands for. */
export const hasScope = ({ scopes = [] }: Pick<Principal, 'scopes'>, scope: AgentScope): boolean =>
  scope === baseScope || (scopes.length === 0 ? scope === defaultScope : scopes.includes(scope));

/** The refusal by `refusalOf` as an error; where a permission or a scope is missing, with a sentence that names it. */
export function accessError(principal: Principal, access: Access | undefined): AppError | undefined {
  const refusal = refusalOf(principal, access);
  if (refusal === undefined) return undefined;
  const permission = access?.permission;
  if (refusal === 'insufficient_scope') return scopeError(access?.agentScope ?? defaultScope);
  if (refusal === 'project_restricted') return projectError(principal);
  if (refusal !== 'permission_missing' || permission === undefined) return new AppError(refusal);
  const message = `This API key lacks the permission \`${permission}\`: give it to the key, or use one that has it`;
  return new AppError(refusal, [{ path: '', message }]);
}

function projectError({ project_id }: Pick<Principal, 'project_id'>): AppError {
  const message = `This key or connection is limited to the project ${project_id}: use one without that limit for everything else`;
  return new AppError('project_restricted', [{ path: '', message }]);
}

function scopeError(scope: AgentScope): AppError {
  const message = `This connection lacks the scope \`${scope}\`: connect the agent again and allow it, by its client's own step-up or on the dashboard's page "Agents"`;
  return new AppError('insufficient_scope', [{ path: '', message }]);
}

/** True for the session of a client whose agency keeps its tools to itself. Tokens do not depend on that setting. */
export const lacksAgencyTools = ({ kind, role, has_agency_tools }: Omit<Principal, 'permissions'>): boolean =>
  kind === 'session' && role === 'client' && has_agency_tools !== true;

const hasRole = ({ roles }: Access, role: SessionRole | undefined): boolean =>
  roles === 'anyone' || (role !== undefined && sessionRoles.includes(role) && roles.has(role));

/** The permissions of a session with this role. */
export const permissionsOf = (role: SessionRole | undefined): readonly Permission[] =>
  role !== undefined && writing.has(role) ? ['read', 'write'] : ['read'];

/** The abilities that a person with this role can give an agent, as its consent page shows them. */
export const agentAbilitiesFor = (role: SessionRole): typeof agentAbilities =>
  agentAbilities.filter(({ operations: names }) => names.every((name) => hasRole(accessTo(operationNamed(name)), role)));

/**
 * The code of the refusal if an organization has switched off all agents or the tool, or has not opened what the scope
 * stands for; undefined if none of them. A tool that is not named leaves the question whether agents may do anything.
 */
export function agentRefusalOf(
  { is_enabled, disabled_tools, can_build }: AgentOpening,
  tool: string | undefined,
  scope?: AgentScope,
): Extract<ErrorCode, 'agents_off' | 'tool_off' | 'agents_not_open'> | undefined {
  if (!is_enabled) return 'agents_off';
  if (scope !== undefined && needsOpening(scope) && !can_build) return 'agents_not_open';
  return disabled_tools.some((disabled) => disabled === tool) ? 'tool_off' : undefined;
}

/** True if agents ask a person before each call of the tool. */
export const asksFirst = ({ ask_first_tools }: AgentAccess, tool: string): boolean => ask_first_tools.some((name) => name === tool);

const toolsByOperation = new Map<string, string>(Object.entries(allTools).map(([tool, { operation }]) => [operation, tool]));

/** The tool that runs an operation; undefined if none does. */
export const agentToolOf = (operation: string): string | undefined => toolsByOperation.get(operation);
