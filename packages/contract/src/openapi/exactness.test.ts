import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { webhookUrl } from '../fields/patterns.ts';
import { operations } from '../http/operations.ts';
import { type JsonSchema, randomValues, valuesAround } from '../testing/json-schema-values.ts';
import { openApiDocument, withoutReferences } from './document.ts';

interface Documented {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

const document = openApiDocument('http://localhost/api/v1');
const { paths } = withoutReferences(document, { paths: document.paths }) as unknown as {
  paths: Record<string, Record<string, Documented>>;
};
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, logger: false }));
const bodies = Object.entries(operations).flatMap(([name, { method, path, input }]) => {
  const schema = paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  return schema === undefined || input === undefined ? [] : [{ name, schema, input, isDocumented: ajv.compile(schema) }];
});

/**
 * Accepted but not documented: spellings of an address that the URL standard normalises; no pattern can describe them.
 */
const undocumented = [
  'https://ä.example.com',
  'https://[::1]/',
  'https://user:pass@example.com/',
  'https:///example.com',
  'https://1.2.3',
  'https://0x7f.1',
  // Browsers take it, RFC 5321 (`format: email`) does not.
  'a..b@example.com',
];
const isUndocumented = (body: unknown) =>
  [...undocumented, 'https://*.example.com'].some((address) => JSON.stringify(body)?.includes(JSON.stringify(address)));

/** The webhooks service decides by its settings about addresses that the document does not promise. */
const isLeftToService = (body: unknown) => {
  const { url } = Object(body) as { url?: unknown };
  return typeof url === 'string' && !new RegExp(webhookUrl, 'u').test(url);
};

/** The difference between the document and the validation of a body. */
function differenceOf({ isDocumented, input }: (typeof bodies)[number], body: unknown): string | undefined {
  const [documented, accepted] = [isDocumented(body), input.safeParse(body).success];
  if (documented === accepted || (accepted && (isUndocumented(body) || isLeftToService(body)))) return undefined;
  return `${documented ? 'documented as valid, rejected' : 'documented as invalid, accepted'}: ${JSON.stringify(body)?.slice(0, 200)}`;
}

/** A body of the required fields only, which both accept. */
function smallestBody({ schema, input, isDocumented }: (typeof bodies)[number]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const name of schema.required ?? []) {
    const field = schema.properties?.[name] ?? {};
    body[name] = valuesAround(field).find((value) => input.shape[name]?.safeParse(value).success && ajv.validate(field, value));
  }
  expect([isDocumented(body), input.safeParse(body).success]).toEqual([true, true]);
  return body;
}

test.each(bodies)('the API document accepts exactly the bodies that $name accepts', (operation) => {
  const smallest = smallestBody(operation);
  const differences = new Set<string>();
  const compare = (body: unknown) => {
    const difference = differenceOf(operation, body);
    if (difference !== undefined) differences.add(difference);
  };
  for (const value of valuesAround({})) compare(value);
  compare({ ...smallest, unknown_field: 1 });
  for (const [name, field] of Object.entries(operation.schema.properties ?? {})) {
    const { [name]: _left, ...without } = smallest;
    compare(without);
    for (const value of valuesAround(field)) compare({ ...smallest, [name]: value });
    for (const value of fc.sample(randomValues(field), { numRuns: 200, seed: 1 })) compare({ ...smallest, [name]: value });
  }
  expect([...differences]).toEqual([]);
});
