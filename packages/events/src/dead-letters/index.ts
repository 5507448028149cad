import { handle } from '@webkiln/rpc';
import type { DeadLetter } from './dead-letter-store.ts';
import { replayDeadLetter } from './replay.ts';
import { discardDeadLetter, listDeadLetters } from './replay-store.ts';

/** The RPCs for the dead letters of a service's consumers; every service serves them. */
export const deadLetterUseCases = [
  handle('maintenance.ListDeadLetters', async ({ consumer, after }) => {
    const { found, next } = await listDeadLetters({ consumer, after });
    return { dead_letters: found.map(shown), next };
  }),
  handle('maintenance.ReplayDeadLetter', async ({ id }) => ({ reason: '', ...(await replayDeadLetter(id)) })),
  handle('maintenance.DiscardDeadLetter', async ({ id }) => ({ discarded: await discardDeadLetter(id) })),
];

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
