import { operations } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { type PreparedOperation, prepareOperation } from '@webkiln/operations';
import FindMyWay from 'find-my-way';
import { withUse } from '../limits/with-use.ts';

export interface Route extends PreparedOperation {
  readonly complete: Completion | undefined;
}

/** Adds to the reply of an operation's RPC what other services know. */
type Completion = (reply: never, caller: Caller) => Promise<object>;

const completions: Readonly<Record<string, Completion>> = { getLimits: withUse };

/** A matched route, with its path parameters as sent. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Routes to every operation of the contract by method and path. */
export class Routes {
  readonly #router = FindMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 4096 });
  readonly #methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

  constructor() {
    for (const [name, operation] of Object.entries(operations)) {
      const path = operation.path.replace('{path}', '*').replaceAll(/\{(\w+)\}/g, ':$1');
      this.#router.on(operation.method, path, () => undefined, { ...prepareOperation(name, operation), complete: completions[name] });
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
