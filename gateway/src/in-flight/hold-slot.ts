import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { RequestSlots } from './request-slots.ts';

/**
 * Waits for a slot, which is free again when the response is closed. Throws `too_many_in_flight` or `overloaded`
 * without one, and `malformed_request` if the client disconnects meanwhile.
 */
export async function holdSlot(slots: RequestSlots, key: string, response: ServerResponse): Promise<void> {
  if (response.destroyed) throw disconnected();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isRefused = false;
  const waiter = {
    start: resolve,
    refuse: (error: AppError) => {
      isRefused = true;
      reject(error);
    },
  };
  const hasSlot = slots.acquire(key, waiter);
  response.once('close', () => {
    if (slots.cancel(key, waiter)) reject(disconnected());
    else if (!isRefused) slots.release(key);
  });
  if (!hasSlot) await promise;
}

const disconnected = () => new AppError('malformed_request', [], { cause: new Error('the client disconnected') });
