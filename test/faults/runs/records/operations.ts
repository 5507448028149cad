import { endpoints, type Permission } from '@webkiln/contract';
import { openApiDocument } from '@webkiln/contract/openapi';

/** As far as requests are made from it. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An operation as the public document tells it. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `/projects/{projectId}` */
  readonly path: string;
  readonly permission: Permission;
  /** For people who are signed in: no key may. */
  readonly peopleOnly: boolean;
  readonly success: number;
  /** Names of the query's parameters. */
  readonly query: readonly string[];
  /** Of the body, where there is one. */
  readonly body?: Schema;
}

interface Documented {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const { paths } = openApiDocument('http://localhost/api/v1') as unknown as { paths: Record<string, Record<string, Documented>> };

/** Every operation of the contract, so that a new one is tried without being listed here. */
export const operations: readonly Operation[] = Object.entries(endpoints).map(
  ([name, { method, path, permission, credential, success }]) => {
    const documented = paths[path]?.[method.toLowerCase()];
    if (documented === undefined) throw new Error(`${name} is not documented`);
    const query = documented.parameters?.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name) ?? [];
    const body = documented.requestBody?.content['application/json']?.schema;
    return { name, method, path, permission, peopleOnly: credential === 'session', success, query, body };
  },
);

/** What a key may be used for: only there is more than a refusal to be met. */
export const keysOperations = operations.filter(({ peopleOnly }) => !peopleOnly);
