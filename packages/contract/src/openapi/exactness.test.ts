import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { webhookUrl } from '../fields/patterns.ts';
import { operations } from '../http/operations.ts';
import { openApiDocument, withoutReferences } from './document.ts';

/** The part of JSON Schema that the API document uses. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64');
const webp = Buffer.from('RIFF\x00\xff\x10\x07WEBPVP8 ', 'latin1').toString('base64');
const jpeg = Buffer.from('\xff\xd8\xff\xe0', 'latin1').toString('base64');

/** Values of every JSON type, and texts at the edge of each format that the API knows. */
const samples: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 25, 1e21, [], {}, [null], ['a', 'a'], { a: 1 }],
  ...['', ' ', '\t\n', '\u00a0\ufeff', '\u001f', 'a', ' a ', 'a\nb', 'a\0b', '\0', 'x\u2028'],
  ...['ada@example.com', 'a@b', 'ada@exa mple.com', 'ada@example.com\n', 'a..b@example.com', "o'hara+x@sub.example.org", 'ä@example.com'],
  ...['a@b-.example.com', 'a@-b.example.com', `a@${'b'.repeat(64)}.com`, `${'a'.repeat(65)}@example.com`, `a@b.${'c'.repeat(64)}`],
  ...[
    'https://example.com/ä',
    'https://example.com/%zz',
    'https://example.com/%7E?a=[b]',
    'https://example.com/#a#b',
    'https://ä.example.com',
  ],
  ...['00000000-0000-0000-0000-000000000000', '018f0000-0000-7000-8000-000000000001', '018F0000-0000-7000-8000-00000000000A'],
  ...['018f0000-0000-9000-8000-000000000001', '018f00000000700080000000000000001', 'urn:uuid:018f0000-0000-7000-8000-000000000001'],
  ...[
    'https://example.com',
    'HTTPS://Example.com/hook?x=1#y',
    'http://localhost:3000/',
    'https://example.com:65536',
    'https://example.com:443',
  ],
  ...['https://', 'https:///example.com', 'https://exa mple.com', 'https://example.com/a b', 'ftp://example.com', 'https://1.2.3.4.5/'],
  ...[
    'https://[::1]/',
    'https://[::g]/',
    'https://user:pass@example.com/',
    'https://*.example.com',
    ' https://example.com ',
    'https:example.com',
  ],
  ...['https://example.com/path', 'http://example.com', 'https://999.1.1.1', 'https://1.2.3', 'https://0x7f.1', 'https://a_b.example.com'],
  ...['#1a2b3c', '#1A2B3C', '#1a2b3', '#1a2b3c\n', '2026-03-01T00:00:00Z', '2026-03-01', '2026-02-30T00:00:00Z'],
  ...[
    png,
    webp,
    jpeg,
    png.slice(0, -1),
    `${png}====`,
    Buffer.from('GIF89a').toString('base64'),
    Buffer.from('RIFF1234WEBX').toString('base64'),
  ],
  ...[{ 'index.html': 'x' }, { 'index.html': 1 }, { 'a.html': 'x' }, { 'index.html': '', '../x': '' }, { 'index.html': '', 't.js': '' }],
  ...[{ 'index.html': { content: 'eA==', encoding: 'base64' } }, { 'index.html': { content: 'eA=', encoding: 'base64' } }],
  ...[
    { 'index.html': { content: 'x', encoding: 'utf8' } },
    { 'index.html': { content: 'x', encoding: 'latin1' } },
    { 'index.html': { content: 'x' } },
  ],
  ...['a//b', 'a/./b', 'a\\b', '/a', 'a/', '_forms/x', 'api/collect', 'a\u0085b', '.well-known/x', 'a..b'].map((path) => ({
    'index.html': '',
    [path]: '',
  })),
];

/** Values at the edges of a schema, inside and outside of it. */
function valuesAround(schema: JsonSchema): unknown[] {
  const { minimum = 0, maximum = 0, minLength = 0, maxLength = 0, minItems = 0, maxItems = 0 } = schema;
  const lengths = [minLength - 1, minLength, maxLength - 1, maxLength, maxLength + 1].filter((length) => length >= 0);
  const counts = [minItems - 1, minItems, maxItems, maxItems + 1].filter((count) => count >= 0);
  const items = schema.items === undefined ? [] : valuesAround(schema.items);
  return [
    ...samples,
    ...(schema.enum ?? []).flatMap((value) => [value, `${value} `, String(value).toUpperCase()]),
    ...[minimum, maximum].flatMap((bound) => [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1]),
    ...lengths.flatMap((length) => ['a', ' ', '😀', 'ß'].map((unit) => unit.repeat(length))),
    ...lengths.map((length) => `https://example.com/${'a'.repeat(Math.max(0, length - 20))}`),
    ...lengths.map((length) => `${'a'.repeat(Math.max(0, length - 12))}@example.com`),
    ...items.map((item) => [item]),
    ...counts.flatMap((count) => (schema.items?.enum ?? ['a', 'https://example.com']).map((item) => Array(count).fill(item))),
    ...counts.map((count) => Array.from({ length: count }, (_, at) => `https://app-${at}.example.com`)),
    ...(schema.anyOf ?? []).flatMap(valuesAround),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => valuesAround(inner).map((value) => ({ [name]: value }))),
  ];
}

/** Random values: texts that match the schema's pattern, any text, any JSON. */
function randomValues({ pattern }: JsonSchema): fc.Arbitrary<unknown> {
  const texts = [fc.string({ unit: 'grapheme' }), fc.emailAddress(), fc.webUrl(), fc.uuid(), fc.base64String()];
  const matching = pattern === undefined || pattern.includes('(?') ? [] : [fc.stringMatching(new RegExp(pattern, 'u'))];
  return fc.oneof(fc.jsonValue(), ...texts, ...matching);
}

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
