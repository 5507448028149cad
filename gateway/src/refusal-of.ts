import { AppError, isAllowed } from '@webkiln/contract';
import type { Principal } from '@webkiln/rpc';
import type { Operation } from './operation.ts';

/** What the services would refuse, told before anything is read: a key by its permissions, somebody signed in by his role. */
export function refusalOf({ kind, permissions, role }: Principal, { endpoint, access }: Operation): AppError | undefined {
  if (kind === 'session') return isAllowed(access, role) ? undefined : new AppError('role_missing');
  if (access.peopleOnly) return new AppError('session_required');
  if (!permissions.includes(endpoint.permission)) return new AppError('permission_missing');
  return role === undefined || isAllowed(access, role) ? undefined : new AppError('role_missing');
}
