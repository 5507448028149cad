import fc from 'fast-check';

/** The part of JSON Schema that the API document uses. */
export interface JsonSchema {
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
export function valuesAround(schema: JsonSchema): unknown[] {
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
export function randomValues({ pattern }: JsonSchema): fc.Arbitrary<unknown> {
  const texts = [fc.string({ unit: 'grapheme' }), fc.emailAddress(), fc.webUrl(), fc.uuid(), fc.base64String()];
  const matching = pattern === undefined || pattern.includes('(?') ? [] : [fc.stringMatching(new RegExp(pattern, 'u'))];
  return fc.oneof(fc.jsonValue(), ...texts, ...matching);
}
