import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';

/** What services ask of each other across organizations is for nobody else. */
export function assertInternal({ principal }: Pick<Caller, 'principal'>): void {
  if (principal.kind !== 'service') throw new AppError('permission_missing');
}
