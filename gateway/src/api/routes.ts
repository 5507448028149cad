import { AppError, accessError, agentRefusalOf, agentToolOf, type Limit, operations } from '@webkiln/contract';
import { type Caller, type DataServiceName, dataServiceNames, onBehalf } from '@webkiln/messages';
import { type PreparedOperation, prepareOperation, projectWithin } from '@webkiln/operations';
import { call, callAt } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import FindMyWay from 'find-my-way';
import type { Exchange } from './exchange.ts';

export interface Route extends PreparedOperation {
  readonly complete: Completion | undefined;
  readonly precondition: Precondition | undefined;
}

/** Adds to the reply of an operation's RPC what other services know. */
type Completion = (reply: never, caller: Caller) => Promise<object>;

/** Checks of a request what another service knows than that of its RPC. Undefined if there is nothing to check. */
type Precondition = (request: never, caller: Caller) => Promise<unknown> | undefined;

const completions: Readonly<Record<string, Completion>> = { getLimits: withUse, getAccount: withUse };
const preconditions: Readonly<Record<string, Precondition>> = { createKey: assertBound };

/** A matched route, with its path parameters as sent. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: RouteParams;
}

type RouteParams = Readonly<Record<string, string | undefined>>;

/** Routes to every operation of the contract by method and path. */
export class Routes {
  readonly #router = FindMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 4096 });
  readonly #methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

  constructor() {
    for (const [name, operation] of Object.entries(operations)) {
      const path = operation.path.replace('{path}', '*').replaceAll(/\{(\w+)\}/g, ':$1');
      this.#router.on(operation.method, path, () => undefined, {
        ...prepareOperation(name, operation),
        complete: completions[name],
        precondition: preconditions[name],
      });
    }
  }

  find(method: string, path: string): RouteMatch | undefined {
    const found = this.#router.find((method === 'HEAD' ? 'GET' : method) as 'GET', path);
    return found === null ? undefined : { route: found.store as Route, params: found.params };
  }

  /** Methods of a path; empty for an unknown path. */
  allowed(path: string): string[] {
    return this.#methods.filter((method) => this.#router.find(method, path) !== null);
  }
}

/**
 * Checks what the principal may do, and then what its organization lets agents do. To a credential of one project every
 * other project is an unknown one.
 */
export function assertRole(exchange: Exchange & { found?: RouteMatch }): void {
  const { credential, found } = exchange as Required<Pick<typeof exchange, 'credential' | 'found'>>;
  const { name, access, operation } = found.route;
  const refusal = accessError(credential.principal, access);
  if (refusal !== undefined) {
    exchange.refusalHeaders =
      refusal.code === 'insufficient_scope'
        ? ['WWW-Authenticate', `Bearer error="insufficient_scope", scope="${access.agentScope}"`]
        : ['X-Accepted-Permissions', access.permission ?? operation.permission];
    throw refusal;
  }
  const agentRefusal = credential.agentAccess && agentRefusalOf(credential.agentAccess, agentToolOf(name), access.agentScope);
  if (agentRefusal !== undefined) throw new AppError(agentRefusal);
  const { project_id } = credential.principal;
  if (project_id !== undefined) exchange.found = { ...found, params: paramsWithin(found.params, project_id) };
}

/** A key is bound to a client or project that there is: `client_not_found`, `project_not_found`. */
function assertBound({ client_id, project_id }: Bounds, caller: Caller): Promise<unknown> | undefined {
  const checking = onBehalf('gateway', caller);
  if (project_id) return call('projects.GetProject', { project_id: project_id.toLowerCase() }, checking);
  return client_id ? call('clients.GetClientUser', { client_id }, checking) : undefined;
}

type Bounds = { readonly client_id?: string | null; readonly project_id?: string | null };

const paramsWithin = (params: RouteParams, project_id: string): RouteParams =>
  params.projectId === undefined ? params : { ...params, projectId: projectWithin(params.projectId, project_id) };

/** The query of an operation that names a project there, for a credential of one project: it need not name it. */
export function queryWithin(query: RouteParams, { access, params }: Route, project_id: string | undefined): RouteParams {
  if (project_id === undefined || access.projects !== 'named' || params.length > 0) return query;
  return { ...query, project_id: projectWithin(query.project_id ?? project_id, project_id) };
}

/** A service that is away holds up the others' answers no longer than this. */
const useTimeoutMs = 2_000;

/**
 * Completes an organization's limits with what is used. Each service counts for the quotas that it keeps; those of one
 * that does not answer stay unknown, since the others' figures are of use without them.
 */
export async function withUse<Reply extends { readonly limits: readonly Limit[] }>(reply: Reply, caller: Caller): Promise<Reply> {
  const { limits } = reply;
  if (limits.length === 0) return reply;
  const deadlineAt = Math.min(caller.deadlineAt, Date.now() + useTimeoutMs);
  const counting = { ...onBehalf('gateway', caller), deadlineAt };
  const uses = await Promise.all(dataServiceNames.map((service) => usesAt(service, counting)));
  const used = new Map(uses.flat().map((use) => [use.name, use.used]));
  return { ...reply, limits: limits.map((limit) => ({ ...limit, used: used.get(limit.name) ?? null })) };
}

const usesAt = (service: DataServiceName, caller: Caller) =>
  callAt(service, 'maintenance.CountUse', {}, caller).then(
    ({ uses = [] }) => uses,
    (err: unknown) => {
      logger.warn({ err, service, org_id: caller.principal.org_id }, 'quota usage unavailable; showing it as unknown');
      return [];
    },
  );
