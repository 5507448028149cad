import { AppError } from '@webkiln/contract';

/**
 * What a call set aside (a site slot, files held) is kept for it far longer than its deadline, and no longer: a call that was paused
 * past it must not use them. To be asked right before the write that does.
 */
export function assertInTime({ deadlineAt }: { deadlineAt: number }): void {
  if (Date.now() >= deadlineAt) throw new AppError('unavailable');
}
