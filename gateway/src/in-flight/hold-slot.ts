import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { RequestSlots } from './request-slots.ts';

/**
 * Waits for a slot, which is free again when the response is closed, or before by the returned function. Throws
 * `too_many_in_flight` or `overloaded` without one, and `malformed_request` if the client disconnects meanwhile.
 */
export async function holdSlot(slots: RequestSlots, key: string, response: ServerResponse): Promise<() => void> {
  if (response.destroyed) throw disconnected();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;
  const waiter = {
    start: resolve,
    refuse: (error: AppError) => {
      isOver = true;
      reject(error);
    },
  };
  const hasSlot = slots.acquire(key, waiter);
  const release = () => {
    if (slots.cancel(key, waiter)) reject(disconnected());
    else if (!isOver) slots.release(key);
    isOver = true;
  };
  response.once('close', release);
  if (!hasSlot) await promise;
  return release;
}

const disconnected = () => new AppError('malformed_request', [], { cause: new Error('the client disconnected') });
