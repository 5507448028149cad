import type { Caller } from '@webkiln/messages';
import type { ClientSession } from 'mongoose';
import { versionField, versionOf } from './models.ts';
import type { StoreModel } from './stored-record.ts';

type Element<V> = V extends readonly (infer E)[] ? E : V;

interface Operators<V> {
  $lt?: V;
  $lte?: V;
  $gt?: V;
  $gte?: V;
  $ne?: V;
  $in?: readonly V[];
  $nin?: readonly V[];
  $exists?: boolean;
  /** Lets MongoDB use an index of records with such a value alone. */
  $type?: 'date';
  $not?: Operators<V>;
  $regex?: string;
  $options?: string;
}

/**
 * Operators written in our source. Only this class creates operators: a value from a request is data, whatever it looks
 * like.
 */
export class Condition<V> {
  readonly operators: Operators<V>;

  constructor(operators: Operators<V>) {
    this.operators = operators;
  }
}

/** `{ used: where({ $lt: plan.max_sites }) }` */
export const where = <V>(operators: Operators<V>): Condition<V> => new Condition(operators);

/** A field from one value (inclusive) to another (exclusive), each if given: `...between('created_at', from, to)`. */
export function between<K extends string, V>(field: K, from: V | undefined, before: V | undefined): { [F in K]?: Condition<V> } {
  if (from === undefined && before === undefined) return {};
  const condition = where<V>({ ...(from !== undefined && { $gte: from }), ...(before !== undefined && { $lt: before }) });
  return { [field]: condition } as { [F in K]?: Condition<V> };
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * The forms in which a text may be written (UAX #15): composed, and decomposed, as macOS writes names of files. One if
 * they are the same.
 */
export const formsOf = (text: string): string[] => [...new Set([text.normalize('NFC'), text.normalize('NFD')])];

const character = /\P{M}\p{M}*|\p{M}+/gu;

/** Text that contains `part`, in any case and either form. */
export function containing(part: string): Condition<string> {
  const characters = (part.normalize('NFC').match(character) ?? []).map((each) => formsOf(each).map(literal));
  const pattern = characters.map((forms) => (forms.length === 1 ? forms[0] : `(?:${forms.join('|')})`)).join('');
  return new Condition({ $regex: pattern, $options: 'i' });
}

/** Text that starts with `part`; an index serves it. */
export const startingWith = (part: string): Condition<string> => new Condition({ $regex: `^${literal(part)}` });

/** Matches records in which each field equals the value or meets the condition. */
export type Filter<R> = { readonly [K in keyof R]?: R[K] | Element<R[K]> | Condition<Element<NonNullable<R[K]>> | R[K]> };

/** The filter for MongoDB. Throws on an undefined value, which would silently match more records. */
export function compiled<R>(filter: Filter<R>): Record<string, object> {
  return Object.fromEntries(
    Object.entries<unknown>(filter).map(([field, value]) => {
      if (value === undefined) throw new TypeError(`filter without a value for ${field}`);
      return [field, value instanceof Condition ? value.operators : { $eq: value }];
    }),
  );
}

export type Session = ClientSession;

/** The tenant of a store call: a request's caller, or an event's organization and the transaction that handles it. */
export type Scope = Caller | Tenant;

export interface Tenant {
  readonly org_id: string;
  /** Limits collections with an owner field to this user's records: a client's user sees no others. */
  readonly user_id?: string | undefined;
  readonly session?: Session;
}

const isCaller = (scope: Scope): scope is Caller => 'principal' in scope;

export const sessionOf = (scope: Scope): Session | undefined => (isCaller(scope) ? undefined : scope.session);

export const callerOf = (scope: Scope): Caller | undefined => (isCaller(scope) ? scope : undefined);

/** The organization. Throws for an operator or service that acts for none: it may not read organizations' records. */
export function orgOf(scope: Scope): string {
  const org_id = isCaller(scope) ? scope.principal.org_id : scope.org_id;
  if (typeof org_id !== 'string' || org_id === '') throw new TypeError('a store call needs an organization');
  return org_id;
}

/** The tenancy condition that is part of every filter on the collection. */
export function tenancyFilter(model: StoreModel, scope: Scope): Record<string, object> {
  if (model.tenancy === 'global') return {};
  const org_id = { $eq: orgOf(scope) };
  const user_id = userOf(scope);
  return model.ownedBy === undefined || user_id === undefined ? { org_id } : { org_id, [model.ownedBy]: { $eq: user_id } };
}

/** True if `tenancyFilter` would match a record that was read without it. */
export function isOwn(model: StoreModel, scope: Scope, record: object): boolean {
  const { org_id, [model.ownedBy ?? '']: owner } = record as Record<string, unknown>;
  const user_id = userOf(scope);
  return org_id === orgOf(scope) && (model.ownedBy === undefined || user_id === undefined || owner === user_id);
}

/** The user whose records alone are in reach: see `Tenant`. */
export const userOf = (scope: Scope): string | undefined => (isCaller(scope) ? scope.principal : scope).user_id;

/** The fields that the store sets on a new record. */
export const firstFields = (model: StoreModel, scope: Scope): { revision: number; org_id?: string } =>
  model.tenancy === 'organization' ? { ...firstFieldsOf(model), org_id: orgOf(scope) } : firstFieldsOf(model);

/** The same without its organization. */
export const firstFieldsOf = ({ upgrades }: StoreModel): { revision: number; [versionField]?: number } =>
  upgrades === undefined ? { revision: 1 } : { revision: 1, [versionField]: versionOf(upgrades) };

/** Less than `socketTimeoutMS` of the connection, after which nobody waits for the answer. */
const maxReadMs = 9_000;

/** Ends a read in MongoDB, not only here, when its caller has stopped waiting: `maxTimeMS`, at least 1. */
export function timeLimit(scope?: Scope): { readonly maxTimeMS: number } {
  const deadlineAt = scope && callerOf(scope)?.deadlineAt;
  const leftMs = deadlineAt === undefined ? maxReadMs : Math.ceil(deadlineAt - Date.now());
  return { maxTimeMS: Math.max(1, Math.min(leftMs, maxReadMs)) };
}
