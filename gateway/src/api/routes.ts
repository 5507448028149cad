import {
  type Access,
  AppError,
  accessTo,
  createSerializer,
  type ErrorCode,
  type Operation,
  operations,
  pathId,
  type Serializer,
} from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import type { MethodName } from '@webkiln/rpc';
import FindMyWay from 'find-my-way';
import { withUse } from '../limits/with-use.ts';

/** An API operation with everything that can be computed at start, so that requests need not. */
export interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly access: Access;
  readonly rpc: MethodName;
  /** Path parameters, the request fields they fill (`projectId` → `project_id`), and the pattern of ids. */
  readonly params: readonly { readonly name: string; readonly field: string; readonly pattern?: RegExp }[];
  /** Error for a malformed id: the same as for an unknown one, by the path's last id. */
  readonly notFound: ErrorCode;
  readonly serialize: Serializer | 'file';
  readonly isList: boolean;
  readonly complete: Completion | undefined;
}

/** Adds to the reply of an operation's RPC what other services know. */
type Completion = (reply: never, caller: Caller) => Promise<object>;

const completions: Readonly<Record<string, Completion>> = { getLimits: withUse };

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function prepare(name: string, operation: Operation): Route {
  const params = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string);
  const idParam = params.findLast((param) => param !== 'path');
  return {
    name,
    operation,
    access: accessTo(operation),
    rpc: operation.rpc as MethodName,
    params: params.map((param) =>
      param === 'path' ? { name: '*', field: param } : { name: param, field: snake(param), pattern: pathId(param).form },
    ),
    notFound: idParam === undefined ? 'route_not_found' : (`${snake(idParam).replace(/_id$/, '')}_not_found` as ErrorCode),
    serialize: operation.output === 'file' ? 'file' : createSerializer(operation.output),
    isList: operation.output !== 'file' && 'total' in operation.output.shape,
    complete: completions[name],
  };
}

/** A matched route, with its path parameters as sent. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Path parameters as request fields. Throws the route's `notFound` for a malformed id. */
export function idsIn(route: Route, params: RouteMatch['params']): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const { name, field, pattern } of route.params) {
    const value = params[name] ?? '';
    if (pattern?.test(value) === false) throw new AppError(route.notFound);
    ids[field] = pattern === undefined ? value : value.toLowerCase();
  }
  return ids;
}

/** Routes to every operation of the contract by method and path. */
export class Routes {
  readonly #router = FindMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 4096 });
  readonly #methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

  constructor() {
    for (const [name, operation] of Object.entries(operations)) {
      const path = operation.path.replace('{path}', '*').replaceAll(/\{(\w+)\}/g, ':$1');
      this.#router.on(operation.method, path, () => undefined, prepare(name, operation));
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
