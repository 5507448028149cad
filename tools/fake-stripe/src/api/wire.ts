import { z } from 'zod';
import { invalidRequest, resourceMissing } from '../errors.ts';
import { idOf, type Kinds, type Owner, type State } from '../state.ts';

/** Decoded parameters: strings, and nested objects and arrays of them. */
export type Params = { [name: string]: string | Params | (string | Params)[] };

/** Decodes a form or a query as Stripe does: `a[b]=1`, `a[0][b]=1` and `a[]=1` nest. */
export function decodeForm(text: string): Params {
  const root: Params = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.replaceAll(']', '').split('[');
    let at = root;
    for (const name of path.slice(0, -1)) {
      at[name] ??= {};
      at = at[name] as Params;
    }
    const last = path.at(-1) ?? '';
    at[last === '' ? String(Object.keys(at).length) : last] = value;
  }
  return withArrays(root) as Params;
}

function withArrays(value: Params | string): Params[string] {
  if (typeof value === 'string') return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, withArrays(inner as Params | string)] as const);
  const isArray = entries.length > 0 && entries.every(([name], at) => name === String(at));
  return isArray ? entries.map(([, inner]) => inner as string | Params) : Object.fromEntries(entries);
}

export const integer = z
  .string()
  .regex(/^-?\d+$/, 'parameter_invalid_integer')
  .transform(Number);
export const positive = integer.refine((value) => value >= 0, 'parameter_invalid_integer');
export const boolean = z.enum(['true', 'false']).transform((value) => value === 'true');
export const text = z.string().min(1, 'parameter_invalid_empty');
/** In an update an empty string unsets a field. */
export const unsettable = z.string().transform((value) => (value === '' ? null : value));
export const url = z.string().refine((value) => URL.canParse(value) && /^https?:/.test(value), 'url_invalid');
export const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((value) => value.toLowerCase());
export const metadata = z.record(z.string().max(40), z.string().max(500));

/** Every request may expand fields of its answer. */
export const common = { expand: z.array(z.string()).optional() };
export const paging = {
  ...common,
  limit: integer.refine((value) => value >= 1 && value <= 100, 'parameter_invalid_integer').optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
};
export const range = z
  .union([integer, z.strictObject({ gt: integer.optional(), gte: integer.optional(), lt: integer.optional(), lte: integer.optional() })])
  .optional();

/** Throws Stripe's error for the first parameter that is unknown, missing or invalid. */
export function parseParams<Parsed>(schema: z.ZodType<Parsed>, params: Params): Parsed {
  const { success, data, error } = schema.safeParse(params);
  if (success) return data;
  const issues = error.issues;
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (unknown !== undefined) {
    const names = unknown.keys.map((key) => paramName([...unknown.path, key]));
    const message = `Received unknown parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}`;
    throw invalidRequest(message, { code: 'parameter_unknown', param: names[0] ?? '' });
  }
  const [issue] = issues;
  const path = issue?.path ?? [];
  const param = paramName(path);
  const value = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], params);
  if (value === undefined) throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  const messages: Readonly<Record<string, string>> = {
    parameter_invalid_integer: `Invalid integer: ${value}`,
    parameter_invalid_empty: `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a field; however '${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`,
    url_invalid: 'Not a valid URL',
  };
  const code = issue?.message ?? '';
  if (Object.hasOwn(messages, code)) throw invalidRequest(messages[code] ?? '', { code, param });
  throw invalidRequest(`Invalid ${param}: ${code}`, { param });
}

/** `["a", "b", 0]` is "a[b][0]". */
const paramName = (path: readonly PropertyKey[]): string =>
  path.map((name, at) => (at === 0 ? String(name) : `[${String(name)}]`)).join('');

interface Listed {
  readonly id: string;
  readonly created?: number;
}

type Range = number | { readonly [bound in 'gt' | 'gte' | 'lt' | 'lte']?: number | undefined } | undefined;

interface Paging {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
  readonly ending_before?: string | undefined;
  readonly created?: Range;
}

/** One page of a list of Stripe: newest first, of `objects` in the order of their creation. */
export function page(url: string, objects: readonly Listed[], { limit = 10, starting_after, ending_before, created }: Paging) {
  const sorted = objects.filter((object) => isWithin(created, object.created ?? 0)).toReversed();
  const positionOf = (id: string, param: string) => {
    const at = sorted.findIndex((object) => object.id === id);
    if (at < 0) throw resourceMissing('object', id, param, false);
    return at;
  };
  if (ending_before !== undefined) {
    const before = sorted.slice(0, positionOf(ending_before, 'ending_before'));
    return { object: 'list', data: before.slice(-limit), has_more: before.length > limit, url };
  }
  const rest = starting_after === undefined ? sorted : sorted.slice(positionOf(starting_after, 'starting_after') + 1);
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url };
}

function isWithin(range: Range, time: number): boolean {
  if (typeof range === 'number') return time === range;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range ?? {};
  return time > gt && time >= gte && time < lt && time <= lte;
}

const maxDepth = 4;
type Fields = Record<string, unknown>;

/** A copy of an answer with objects in place of their ids, by paths such as "data.payment_intent.latest_charge". */
export function expanded(state: State, owner: Owner, answer: object, paths: readonly string[] = []): object {
  const copy = structuredClone(answer) as Fields;
  for (const path of paths) {
    const names = path.split('.');
    if (names.length > maxDepth) throw invalidRequest(`You cannot expand more than ${maxDepth} levels of a property (${path}).`);
    expandPath(state, owner, copy, names, path);
  }
  return copy;
}

function expandPath(state: State, owner: Owner, target: Fields, [name = '', ...rest]: string[], path: string): void {
  if (name === '') return;
  if (Array.isArray(target[name])) {
    for (const item of target[name]) expandPath(state, owner, item as Fields, rest, path);
    return;
  }
  const lists = includable(state, owner, target);
  if (lists[name] !== undefined) target[name] = structuredClone(lists[name]);
  else if (target[name] === null) return;
  else if (typeof target[name] === 'string') target[name] = structuredClone(objectOf(state, owner, target[name], path));
  if (typeof target[name] !== 'object') throw cannotExpand(path);
  expandPath(state, owner, target[name] as Fields, rest, path);
}

/** The lists that an object only has if they are asked for. */
function includable(state: State, owner: Owner, { object, id }: Fields): Fields {
  if (object === 'checkout.session') {
    const url = `/v1/checkout/sessions/${id}/line_items`;
    return { line_items: { object: 'list', data: state.lineItems.get(String(id)) ?? [], has_more: false, url } };
  }
  if (object !== 'charge') return {};
  const refunds = state.all('refund', owner).filter(({ charge }) => idOf(charge) === id);
  return { refunds: page(`/v1/charges/${String(id)}/refunds`, refunds, {}) };
}

function objectOf(state: State, owner: Owner, id: string, path: string): object {
  const kinds: (keyof Kinds)[] = ['customer', 'payment_method', 'payment_intent', 'charge', 'billing_portal.configuration'];
  const found = kinds.map((kind) => state.lookUp(owner, kind, id)).find((object) => object !== undefined);
  if (found === undefined) throw cannotExpand(path);
  return found;
}

const cannotExpand = (path: string) => invalidRequest(`This property cannot be expanded (${path}).`);
