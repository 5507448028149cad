import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';

/** Allows only services: calls across organizations are internal. Throws `permission_missing`. */
export function assertInternal({ principal }: Pick<Caller, 'principal'>): void {
  if (principal.kind !== 'service') throw new AppError('permission_missing');
}
