import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { publicEvents } from '../events.ts';
import { requests } from '../examples/requests.ts';
import { operations } from '../http/operations.ts';
import { openApiDocument, withoutReferences } from './document.ts';
import { errorsByStatus } from './errors.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface ErrorSchema extends Schema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema & { readonly const?: string }>>;
}
interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Described {
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
  readonly headers?: Readonly<Record<string, Described>>;
}
interface Documented {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Described & { readonly name: string; readonly schema?: Schema })[];
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Documented>>>>;

const document = openApiDocument('http://localhost/api/v1');
const { schemas = {} } = document.components as { schemas?: Record<string, Schema> };
/** With references to schemas, and components in place of all others. */
const written = { ...document.paths, ...document.webhooks } as unknown as Paths;
const inlined = withoutReferences(document, { ...document.paths, ...document.webhooks }) as Paths;
const operationsOf = (paths: Paths) => Object.values(paths).flatMap((methods) => Object.values(methods));

/** True for words that say more than a name does: "The name" is no description of `name`. */
const isSaid = (text = '', name = '') =>
  text.length > 4 &&
  text.toLowerCase().replace(/^(?:the|an?) /, '') !== (name.split(/[. ]/).at(-1) ?? '').replaceAll('_', ' ').toLowerCase();
const targetOf = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}));
const descriptionOf = (schema: Schema) =>
  schema.description ?? targetOf(schema).description ?? schema.anyOf?.map((each) => targetOf(each).description).find(Boolean);

/** The schemas in a schema, with where they stand; references are not followed. */
function* inside(schema: Schema, at: string): Generator<readonly [at: string, schema: Schema, field: boolean]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${at}.${name}`, field, true];
    yield* inside(field, `${at}.${name}`);
  }
  const { items, additionalProperties } = schema;
  const others = [items, additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter((each) => typeof each === 'object');
  for (const each of others) {
    yield [`${at}[]`, each, false];
    yield* inside(each, `${at}[]`);
  }
}

const bodies = operationsOf(written).flatMap(({ operationId, requestBody, responses }) =>
  [requestBody, ...Object.values(responses)].flatMap((each) =>
    Object.values(each?.content ?? {}).map(({ schema }) => [operationId, schema] as const),
  ),
);

test('every operation says what it is for, and beside its summary what else a caller must know', () => {
  const silent = operationsOf(written).filter(({ summary, description }) => !isSaid(summary) || !isSaid(description));
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

test('every parameter and header says what it means', () => {
  const silent = operationsOf(inlined).flatMap(({ operationId, parameters = [], responses }) => [
    ...parameters
      .filter(({ description, schema }) => !isSaid(description ?? schema?.description))
      .map(({ name }) => `${operationId} ${name}`),
    ...Object.values(responses).flatMap(({ headers = {} }) =>
      Object.entries(headers).flatMap(([name, { description }]) => (isSaid(description) ? [] : [`${operationId} ${name}`])),
    ),
  ]);
  expect(silent).toEqual([]);
});

test('every field, record, error and answer says what it means, in more words than its name', () => {
  const fields = Object.entries(schemas).flatMap(([name, schema]) => [...inside(schema, name)].filter(([, , isField]) => isField));
  const silent = [
    ...Object.entries(schemas).map(([name, schema]) => [name, schema.description] as const),
    ...fields.map(([at, schema]) => [at, descriptionOf(schema)] as const),
    ...operationsOf(inlined).flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, { description }]) => [`${operationId} ${status}`, description] as const),
    ),
  ].filter(([name, text]) => !isSaid(text, name));
  expect(silent).toEqual([]);
});

test('every object has a name: no body, record or part of one is anonymous', () => {
  const anonymous = [
    ...bodies.flatMap(([at, schema]) => [[at, schema] as const, ...inside(schema, at)]),
    ...Object.entries(schemas).flatMap(([name, schema]) => [...inside(schema, name)]),
  ].filter(([, { type, properties }]) => type === 'object' && properties !== undefined);
  expect(anonymous.map(([at]) => at)).toEqual([]);
  expect(Object.keys(schemas).filter((name) => name.endsWith('Output') && name !== 'ChatToolOutput')).toEqual([]);
});

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, logger: false }));

/** Further fields are wrong in an example, though answers may get them in time. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const whole = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return 'properties' in whole ? { additionalProperties: false, ...whole } : whole;
}
ajv.addSchema({ $id: 'document', components: { schemas: closed(schemas) } });

const validators = new Map<string, ValidateFunction>();
function validatorOf(schema: Schema): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
  const known = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, known);
  return known;
}

const keywords = new Set([
  ...['$ref', 'type', 'enum', 'const', 'format', 'default', 'title', 'description', 'deprecated', 'readOnly', 'discriminator'],
  ...['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'anyOf', 'oneOf', 'allOf', 'not', 'example', 'examples'],
  ...['pattern', 'minLength', 'maxLength', 'contentEncoding', 'contentMediaType'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);

test('every schema has keywords of OpenAPI and extensions alone', () => {
  const everywhere = [
    ...bodies,
    ...Object.entries(schemas),
    ...operationsOf(inlined).flatMap(({ operationId, parameters = [] }) =>
      parameters.map(({ schema = {} }) => [operationId, schema] as const),
    ),
  ].flatMap(([at, schema]) => [[at, schema] as const, ...inside(schema, at)]);
  const unknown = everywhere.flatMap(([at, schema]) =>
    Object.keys(schema).flatMap((word) => (keywords.has(word) || word.startsWith('x-') ? [] : [`${at}: ${word}`])),
  );
  expect(unknown).toEqual([]);
});

test('every JSON body has an example, which its schema accepts', () => {
  const { responses = {}, examples = {} } = document.components as {
    responses?: Record<string, Described>;
    examples?: Content['examples'];
  };
  const exampleNamed = (name: string, { $ref }: { $ref?: string }) => examples[$ref?.split('/').at(-1) ?? name]?.value;
  const answered = [
    ...Object.entries(responses),
    ...operationsOf(written).flatMap(({ operationId, requestBody, responses: own }) =>
      Object.entries({ request: requestBody, ...own }).map(([at, each]) => [`${operationId} ${at}`, each] as const),
    ),
  ];
  const wrong = answered.flatMap(([at, answer]) => {
    const { schema, example, examples: several = {} } = answer?.content?.['application/json'] ?? {};
    if (schema === undefined) return [];
    const shown = example === undefined ? Object.entries(several).map(([name, each]) => exampleNamed(name, each as object)) : [example];
    if (shown.length === 0) return [`${at}: has none`];
    const isValid = validatorOf(schema);
    return shown.flatMap((value) => (isValid(value) ? [] : [`${at}: ${ajv.errorsText(isValid.errors)}`]));
  });
  expect(wrong).toEqual([]);
});

test('the example of a body is one that its operation takes', () => {
  for (const [name, { input, method }] of Object.entries(operations)) {
    if (method === 'GET' || method === 'DELETE' || input === undefined) continue;
    expect([name, input.safeParse(requests[name] ?? {}).error?.issues]).toEqual([name, undefined]);
  }
  expect(Object.keys(requests).filter((name) => operations[name] === undefined)).toEqual([]);
});

test('every tag has an introduction and a group, and every operation one of these tags', () => {
  const { tags = [] } = document;
  expect(tags.filter(({ description }) => !isSaid(description))).toEqual([]);
  const names = tags.map(({ name }) => name);
  expect(new Set(operationsOf(written).flatMap((operation) => operation.tags))).toEqual(new Set(names));
  const groups = (document as { 'x-tagGroups'?: { tags: string[] }[] })['x-tagGroups'] ?? [];
  expect(groups.flatMap((group) => group.tags)).toEqual(names);
});

test('every event is a webhook with a body of its own, and a member of the union by its type', () => {
  expect(Object.keys(document.webhooks ?? {})).toEqual(Object.keys(publicEvents));
  const { oneOf = [], discriminator } = schemas.WebhookEvent as Schema & { discriminator?: { mapping: Record<string, string> } };
  expect(Object.keys(discriminator?.mapping ?? {})).toEqual(Object.keys(publicEvents));
  const sent = Object.values(document.webhooks as unknown as Paths).map(
    ({ post }) => post?.requestBody?.content?.['application/json']?.schema,
  );
  expect(sent).toEqual(oneOf);
});

test('an error answer has code and request_id, and the codes that its operation answers with this status and no others', () => {
  const { paths = {} } = withoutReferences(document, { paths: document.paths }) as { paths?: Paths };
  for (const { operationId, responses } of operationsOf(paths)) {
    const operation = operations[operationId];
    for (const [status, codes] of operation === undefined ? [] : errorsByStatus(operation)) {
      const schema = responses[status]?.content?.['application/json']?.schema as ErrorSchema;
      const each = (schema.oneOf ?? [schema]) as readonly ErrorSchema[];
      expect([operationId, each.map(({ properties }) => properties.code?.const)]).toEqual([operationId, codes]);
      for (const { required } of each) expect([operationId, required]).toEqual([operationId, ['error', 'code', 'request_id']]);
    }
  }
});
