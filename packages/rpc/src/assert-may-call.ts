import { type Access, AppError, isAllowed } from '@webkiln/contract';
import type { Principal } from './caller.ts';

/**
 * What an endpoint of the contract says of its method holds wherever a call comes from: who is signed in may call what his role allows and
 * nothing that no endpoint names; a key may not call what is for people alone, nor what the role of who made it did not allow. Throws `role_missing` or `session_required`.
 */
export function assertMayCall({ kind, role }: Principal, access: Access | undefined): void {
  if (kind === 'session' && (access === undefined || !isAllowed(access, role))) throw new AppError('role_missing');
  if (kind !== 'api_key' || access === undefined) return;
  if (access.peopleOnly) throw new AppError('session_required');
  if (role !== undefined && !isAllowed(access, role)) throw new AppError('role_missing');
}
