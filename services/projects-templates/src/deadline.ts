import { AppError } from '@webkiln/contract';

/**
 * Throws `unavailable` if the call's deadline has passed. Call it right before a write that relies on a site slot or a
 * file lease: both outlive the deadline by far but not forever, so a process that was paused past its deadline must not
 * use them.
 */
export function assertBeforeDeadline({ deadlineAt }: { deadlineAt: number }): void {
  if (Date.now() >= deadlineAt) throw new AppError('unavailable');
}
