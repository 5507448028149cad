import { resolved, type Schema } from './document.ts';

/** Fields of fields are shown to this depth. */
const maxDepth = 4;

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** A Markdown table of the fields of a body, those of nested objects with their path; '' for a body without fields. */
export function fieldTable(schema: Schema, kind: 'sent' | 'answered'): string {
  const rows = fieldsOf(schema).map(({ name, isRequired, schema: field }) => {
    const must = kind === 'sent' && isRequired ? ', **required**' : '';
    const may = kind === 'answered' && !isRequired ? ', may be absent' : '';
    return `| \`${name}\` | ${typeOf(field)}${must}${may} | ${inCell(describe(field))} |`;
  });
  return rows.length === 0 ? '' : ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

export const inCell = (text: string) => text.replaceAll(/\s*\n+\s*/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|');

/** Its type as a person would say it: "string (email), at most 254 characters". */
export function typeOf(schema: Schema): string {
  const options = optionsOf(schema);
  return [...new Set(options.map(typeOfOne))].join(' or ');
}

function describe(schema: Schema): string {
  const text = schema.description ?? resolved(schema).description ?? '';
  const { default: value } = resolved(schema);
  return value === undefined ? text : `${text}${/[.!?]$/.test(text) ? '' : '.'} Default: \`${JSON.stringify(value)}\``;
}

/** The schemas of a union, without names: those of its unions are its own. */
function optionsOf(schema: Schema): Schema[] {
  const { anyOf, oneOf, ...rest } = resolved(schema);
  const options = anyOf ?? oneOf;
  return options === undefined ? [rest] : options.flatMap(optionsOf);
}

function typeOfOne(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((each) => `\`${String(each)}\``).join(', ');
  const type = [schema.type ?? 'any value'].flat().join(' or ');
  if (type === 'array')
    return `list of ${schema.items === undefined ? 'values' : typeOf(schema.items)}${bounds(schema.minItems, schema.maxItems, '')}`;
  if (type === 'string')
    return `string${schema.format === undefined ? '' : ` (${schema.format})`}${bounds(schema.minLength, schema.maxLength, ' characters')}`;
  if (type === 'integer' || type === 'number') return `${type}${bounds(schema.minimum, schema.maximum, '')}`;
  return type;
}

/** What every program keeps to anyway is no bound that a reader needs. */
const isTold = (bound: number | undefined): bound is number => bound !== undefined && Math.abs(bound) < 2 ** 31 - 1;

function bounds(min: number | undefined, max: number | undefined, unit: string): string {
  const low = isTold(min) && min > 1 ? min : undefined;
  if (!isTold(max)) return low === undefined ? '' : `, at least ${low}${unit}`;
  return low === undefined && min !== 1 ? `, at most ${max}${unit}` : `, ${min} to ${max}${unit}`;
}

function fieldsOf(schema: Schema, prefix = '', depth = 0): Field[] {
  if (depth >= maxDepth) return [];
  return mergedProperties(optionsOf(schema)).flatMap(({ name, isRequired, schema: field }) => {
    const at = `${prefix}${name}`;
    const inner = optionsOf(field);
    const lists = inner.flatMap(({ items }) => (items === undefined ? [] : [items]));
    const maps = inner.flatMap(({ additionalProperties: value }) => (typeof value === 'object' ? [value] : []));
    return [
      { name: at, isRequired, schema: field },
      ...fieldsOf({ anyOf: inner.filter(({ properties }) => properties !== undefined) }, `${at}.`, depth + 1),
      ...fieldsOf({ anyOf: lists }, `${at}[].`, depth + 1),
      ...fieldsOf({ anyOf: maps }, `${at}.*.`, depth + 1),
    ];
  });
}

/** The properties of all options. One is required if each option has and requires it. */
function mergedProperties(options: readonly Schema[]): Field[] {
  const objects = options.filter(({ properties }) => properties !== undefined);
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].map((name) => {
    const having = objects.flatMap(({ properties = {} }) => (properties[name] === undefined ? [] : [properties[name]]));
    const [only] = having;
    const schema = having.length === 1 && only !== undefined ? only : { description: describe(having[0] ?? {}), anyOf: having };
    return { name, isRequired: objects.every(({ required = [] }) => required.includes(name)), schema };
  });
}
