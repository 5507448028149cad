import { type Permission, operations as publicOperations } from '@webkiln/contract';
import { openApiDocument, withoutReferences } from '@webkiln/contract/openapi';

/** The part of JSON Schema that requests are generated from. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: string;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An API operation, as the OpenAPI document describes it. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/projects/{projectId}` */
  readonly path: string;
  readonly permission: Permission;
  /** Requires a person, or a key with the permission of an area: keys that read and write are refused. */
  readonly refusesKeys: boolean;
  /** Whatever its permissions. */
  readonly takesAnyKey: boolean;
  readonly success: number;
  /** Names of the query parameters. */
  readonly query: readonly string[];
  /** Schema of the request body, if the operation takes one. */
  readonly body?: Schema;
}

interface Documented {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const document = openApiDocument('http://localhost/api/v1');
const { paths } = withoutReferences(document, { paths: document.paths }) as unknown as {
  paths: Record<string, Record<string, Documented>>;
};

/** Every operation of the contract. A new one is covered without being listed here. */
export const operations: readonly Operation[] = Object.entries(publicOperations).map(
  ([name, { method, path, permission, area, credential, success }]) => {
    const documented = paths[path]?.[method.toLowerCase()];
    if (documented === undefined) throw new Error(`${name} is not documented`);
    const query = documented.parameters?.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name) ?? [];
    const body = documented.requestBody?.content['application/json']?.schema;
    const takesAnyKey = credential === 'anyKey';
    const refusesKeys = area !== undefined || (credential !== undefined && !takesAnyKey);
    return { name, method, path, permission, refusesKeys, takesAnyKey, success, query, body };
  },
);

/** Operations open to keys that read and write. All others answer such a key with the same refusal. */
export const keyOperations = operations.filter(({ refusesKeys }) => !refusesKeys);
