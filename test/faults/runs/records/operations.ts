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
  /** Requires a person; every API key is refused. */
  readonly refusesKeys: boolean;
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
  ([name, { method, path, permission, credential, success }]) => {
    const documented = paths[path]?.[method.toLowerCase()];
    if (documented === undefined) throw new Error(`${name} is not documented`);
    const query = documented.parameters?.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name) ?? [];
    const body = documented.requestBody?.content['application/json']?.schema;
    return { name, method, path, permission, refusesKeys: credential !== undefined, success, query, body };
  },
);

/** Operations open to API keys. All others answer a key with the same refusal. */
export const keyOperations = operations.filter(({ refusesKeys }) => !refusesKeys);
