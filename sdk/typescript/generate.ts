/**
 * Writes the generated part of the SDK from docs/openapi.json: gen/schemas.ts, the types of openapi-typescript, and
 * gen/resources.ts, a class for each first segment of a path with a method for each operation that a key or a token may
 * call. `webkiln.clients.create` is `createClient`: the name without that of its resource.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface OpenApi {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Method {
  readonly resource: string;
  readonly verb: string;
  readonly route: string;
  readonly operation: Described;
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const nameOf = (schema: Schema | undefined) => schema?.$ref?.split('/').at(-1);
const queryOf = ({ parameters = [] }: Described) => parameters.filter((parameter) => parameter.in === 'query');
const queryType = ({ operationId }: Described) => `${capitalised(operationId)}Query`;

/** Messages are a resource of their own: everything else is called by the first segment of its path. */
const resourceOf = (route: string) => (/^\/projects\/\{\w+\}\/chat/.test(route) ? 'chat' : (route.split('/')[1] ?? ''));

/** `createClient` without the name of its resource is `create`. */
function shortName(operationId: string, resource: string): string {
  const singular = capitalised(resource.replace(/s$/, ''));
  return operationId.replace(new RegExp(`(?<=[a-z])(?:${singular}s?|${capitalised(resource)})(?![a-z])`), '');
}

function methodsOf({ paths }: OpenApi): Method[] {
  const all = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([verb, operation]) => ({ resource: resourceOf(route), verb: verb.toUpperCase(), route, operation })),
  );
  return all.filter(({ operation }) => operation.security.some((credential) => !('session' in credential)));
}

/** The document's schemas alone, and the query of each operation as one: what the methods of the SDK name. */
function schemasOf({ openapi, info, components }: OpenApi, methods: readonly Method[]): object {
  const queries = methods.flatMap(({ operation }) => {
    const query = queryOf(operation);
    if (query.length === 0) return [];
    const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
    return [[queryType(operation), { type: 'object', description: `The query of ${operation.operationId}`, properties, required }]];
  });
  // `Error` would hide JavaScript's own.
  const { Error: ErrorAnswer, ...schemas } = components.schemas;
  return { openapi, info, paths: {}, components: { schemas: { ...schemas, ErrorAnswer, ...Object.fromEntries(queries) } } };
}

/** What a method resolves to, and which method of the transport gets it. */
function answerOf({ verb, operation }: Method, schemas: OpenApi['components']['schemas']): { type: string; call: string; how?: string } {
  const content = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  if ('text/event-stream' in content) return { type: 'ChatCall', call: 'chat' };
  const schema = content['application/json']?.schema;
  if (schema === undefined) return { type: 'Call<Blob>', call: 'file' };
  const name = nameOf(schema) ?? '';
  const properties = Object.entries(schemas[name]?.properties ?? {});
  if (verb === 'DELETE' && properties.every(([key]) => ['deleted', 'id', 'path'].includes(key))) {
    return { type: 'Call<void>', call: 'remove' };
  }
  const own = properties.filter(([key]) => key !== 'total' && key !== 'next_cursor');
  const [[key, only] = ['', {}]] = own;
  const item = nameOf(only?.items);
  const isPaged = queryOf(operation).some((parameter) => parameter.name === 'limit');
  if (own.length === 1 && item !== undefined) {
    return isPaged
      ? { type: `PageCall<api.${item}>`, call: 'page', how: key }
      : { type: `Call<api.${item}[]>`, call: `json<api.${item}[]>`, how: key };
  }
  const record = own.length === 1 ? nameOf(only) : undefined;
  if (record !== undefined) return { type: `Call<api.${record}>`, call: `json<api.${record}>`, how: key };
  return { type: `Call<api.${name}>`, call: `json<api.${name}>` };
}

function bodyOf({ requestBody }: Described, schemas: OpenApi['components']['schemas']): string | undefined {
  const name = nameOf(requestBody?.content['application/json']?.schema);
  if (name === undefined || Object.keys(schemas[name]?.properties ?? {}).length === 0) return undefined;
  const type = `api.${name}${requestBody?.content['application/zip'] ? ' | Blob' : ''}`;
  return requestBody?.required ? `body: ${type}` : `body?: ${type}`;
}

function methodText(method: Method, schemas: OpenApi['components']['schemas']): string {
  const { resource, verb, route, operation } = method;
  const { type, call, how } = answerOf(method, schemas);
  const body = bodyOf(operation, schemas);
  const query = queryOf(operation);
  const needsQuery = query.some((parameter) => parameter.required);
  const ids = [...route.matchAll(/\{(\w+)\}/g)].map(([, id]) => `${id}`);
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...(body === undefined ? [] : [body]),
    ...(query.length === 0 ? [] : [`query${needsQuery ? '' : '?'}: api.${queryType(operation)}`]),
    'options?: CallOptions',
  ];
  const written = route.replaceAll(/\{(\w+)\}/g, (_, id) => `\${${id === 'path' ? 'filePath' : 'encodeURIComponent'}(${id})}`);
  const fields = [
    `method: '${verb}'`,
    `path: \`${written}\``,
    ...(body === undefined ? [] : ['body']),
    ...(query.length === 0 ? [] : ['query']),
  ];
  const told = [operation.summary, operation.description ?? '', `\`${verb} ${route}\``].filter((text) => text !== '');
  return [
    `  /** ${told.join('\n   *\n   * ').replaceAll('*/', '*\\/')} */`,
    `  ${shortName(operation.operationId, resource)}(${parameters.join(', ')}): ${type} {`,
    `    return this.transport.${call}({ ${fields.join(', ')} }, options${how === undefined ? '' : `, '${how}'`});`,
    '  }',
  ].join('\n');
}

function resourcesText(methods: readonly Method[], schemas: OpenApi['components']['schemas']): string {
  const resources = Map.groupBy(methods, ({ resource }) => resource);
  const classes = [...resources].map(([resource, own]) => {
    const text = own.map((method) => methodText(method, schemas)).join('\n\n');
    return `export class ${capitalised(resource)} extends Resource {\n${text}\n}\n`;
  });
  const members = [...resources.keys()].map((resource) => `  readonly ${resource}: ${capitalised(resource)};`);
  const made = [...resources.keys()].map((resource) => `    this.${resource} = new ${capitalised(resource)}(transport);`);
  return [
    "import type { ChatCall } from '../src/chat-stream.ts';",
    "import type { Call, PageCall } from '../src/call.ts';",
    "import { filePath, Resource } from '../src/resource.ts';",
    "import type { CallOptions, Transport } from '../src/transport.ts';",
    "import type * as api from './schemas.ts';\n",
    ...classes,
    'export class Resources {',
    ...members,
    '  constructor(transport: Transport) {',
    ...made,
    '  }\n}\n',
  ].join('\n');
}

/** Writes both files; `writeTypes` turns a document into types. */
export function writeSdk(writeTypes: (document: string, output: string, ...options: string[]) => void): void {
  const document: OpenApi = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'));
  const methods = methodsOf(document);
  const folder = path.join(import.meta.dirname, 'gen');
  mkdirSync(folder, { recursive: true });
  const [schemas, types] = ['schemas.json', 'schemas.ts'].map((name) => path.join(folder, name)) as [string, string];
  writeFileSync(schemas, JSON.stringify(schemasOf(document, methods)));
  writeTypes(schemas, types, '--root-types', '--root-types-no-schema-prefix', '--root-types-keep-casing', '--default-non-nullable=false');
  rmSync(schemas);
  // What there would be of a whole document.
  const empty = /^export type (?:paths|webhooks|operations|\$defs) = .*\n/gm;
  writeFileSync(types, readFileSync(types, 'utf8').replaceAll(empty, ''));
  writeFileSync(path.join(folder, 'resources.ts'), resourcesText(methods, document.components.schemas));
}
