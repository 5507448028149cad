import type { Caller } from '@webkiln/messages';
import type { ClientSession } from 'mongoose';
import type { StoreModel } from './stored-record.ts';
import { versionField, versionOf } from './upgrades.ts';

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
