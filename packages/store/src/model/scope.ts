import type { Caller } from '@webkiln/rpc';
import type { ClientSession } from 'mongoose';
import type { StoreModel } from './model.ts';

export type Session = ClientSession;

/** For whom a store call is made: who calls, or the organization an event belongs to and the transaction it is handled in. */
export type Scope = Caller | Tenant;

export interface Tenant {
  readonly org_id: string;
  /** The one user whose records are meant, of collections whose records have one: a client's user sees no others. */
  readonly user_id?: string | undefined;
  readonly session?: Session;
}

const isCaller = (scope: Scope): scope is Caller => 'principal' in scope;

export const sessionOf = (scope: Scope): Session | undefined => (isCaller(scope) ? undefined : scope.session);

export const callerOf = (scope: Scope): Caller | undefined => (isCaller(scope) ? scope : undefined);

/** The organization; throws for an operator or service that acts for none, who has no business in organizations' records. */
export function orgOf(scope: Scope): string {
  const org_id = isCaller(scope) ? scope.principal.org_id : scope.org_id;
  if (typeof org_id !== 'string' || org_id === '') throw new TypeError('a store call needs an organization');
  return org_id;
}

/** What every filter on the collection has besides its own fields. */
export function tenancyFilter(model: StoreModel, scope: Scope): Record<string, object> {
  if (model.tenancy === 'global') return {};
  const org_id = { $eq: orgOf(scope) };
  const user_id = userOf(scope);
  return model.ownedBy === undefined || user_id === undefined ? { org_id } : { org_id, [model.ownedBy]: { $eq: user_id } };
}

/** Whether a record that was read without that filter is one that it finds. */
export function isOwn(model: StoreModel, scope: Scope, record: object): boolean {
  const { org_id, [model.ownedBy ?? '']: owner } = record as Record<string, unknown>;
  const user_id = userOf(scope);
  return org_id === orgOf(scope) && (model.ownedBy === undefined || user_id === undefined || owner === user_id);
}

const userOf = (scope: Scope): string | undefined => (isCaller(scope) ? scope.principal : scope).user_id;

/** What a new record starts with. */
export const firstFields = (model: StoreModel, scope: Scope): { revision: number; org_id?: string } =>
  model.tenancy === 'organization' ? { revision: 1, org_id: orgOf(scope) } : { revision: 1 };
