import {
  type Access,
  AppError,
  accessTo,
  type Endpoint,
  type ErrorCode,
  endpoints,
  pathId,
  presenter,
  type Shape,
} from '@webkiln/contract';
import type { MethodName } from '@webkiln/rpc';
import FindMyWay from 'find-my-way';

/** An endpoint made ready: nothing of this is worked out per request. */
export interface Operation {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly access: Access;
  readonly rpc: MethodName;
  /** Path parameters and the request fields they fill: `projectId` → `project_id`. */
  readonly params: readonly { readonly name: string; readonly field: string /** Of an id. */; readonly form?: RegExp }[];
  /** What a path with a malformed id is answered with, the same as with an unknown one: its last record is not found. */
  readonly notFound: ErrorCode;
  readonly present: Shape | 'file';
  readonly isList: boolean;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function prepare(name: string, endpoint: Endpoint): Operation {
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param as string);
  const idParam = params.findLast((param) => param !== 'path');
  return {
    name,
    endpoint,
    access: accessTo(endpoint),
    rpc: endpoint.rpc as MethodName,
    params: params.map((param) =>
      param === 'path' ? { name: '*', field: param } : { name: param, field: snake(param), form: pathId(param).form },
    ),
    notFound: idParam === undefined ? 'route_not_found' : (`${snake(idParam).replace(/_id$/, '')}_not_found` as ErrorCode),
    present: endpoint.output === 'file' ? 'file' : presenter(endpoint.output),
    isList: endpoint.output !== 'file' && 'total' in endpoint.output.shape,
  };
}

/** What a path leads to, and what its parameters are, as they stand in it. */
export interface Found {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** The path's parameters as request fields; an id that can be no id is answered as an unknown one. */
export function idsIn(operation: Operation, params: Found['params']): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const { name, field, form } of operation.params) {
    const value = params[name] ?? '';
    if (form?.test(value) === false) throw new AppError(operation.notFound);
    ids[field] = form === undefined ? value : value.toLowerCase();
  }
  return ids;
}

/** Every operation of the contract by method and path. */
export class Routes {
  readonly #router = FindMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 4096 });
  readonly #methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

  constructor() {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const path = endpoint.path.replace('{path}', '*').replaceAll(/\{(\w+)\}/g, ':$1');
      this.#router.on(endpoint.method, path, () => undefined, prepare(name, endpoint));
    }
  }

  find(method: string, path: string): Found | undefined {
    const found = this.#router.find((method === 'HEAD' ? 'GET' : method) as 'GET', path);
    return found === null ? undefined : { operation: found.store as Operation, params: found.params };
  }

  /** The methods that a path takes: none where there is no such path. */
  allowed(path: string): string[] {
    return this.#methods.filter((method) => this.#router.find(method, path) !== null);
  }
}
