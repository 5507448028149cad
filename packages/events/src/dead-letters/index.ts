import { AppError } from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { type DeadLetter, discardDeadLetter, listDeadLetters } from './dead-letter-store.ts';
import { replayDeadLetter } from './replay.ts';

/** The RPCs for the dead letters of a service's consumers; every service serves them, for operators alone. */
export const deadLetterUseCases = [
  handle('maintenance.ListDeadLetters', async ({ consumer, after }, caller) => {
    assertOperator(caller);
    const { found, next } = await listDeadLetters({ consumer, after });
    return { dead_letters: found.map(shown), next };
  }),
  handle('maintenance.ReplayDeadLetter', async ({ id }, caller) => {
    assertOperator(caller);
    return { reason: '', ...(await replayDeadLetter(id)) };
  }),
  handle('maintenance.DiscardDeadLetter', async ({ id }, caller) => {
    assertOperator(caller);
    return { discarded: await discardDeadLetter(id) };
  }),
];

function assertOperator({ principal }: IncomingCaller): void {
  if (principal.kind !== 'operator') throw new AppError('role_missing');
}

const shown = ({ _id, consumer, org_id, type, event_id, attempts, error, dead_at }: DeadLetter) => ({
  id: _id,
  consumer,
  org_id,
  type,
  event_id,
  attempts,
  error,
  dead_at: dead_at?.toISOString() ?? '',
});
