import { handle } from '@webkiln/rpc';
import { theBus } from '../bus.ts';
import { claimDeadLetter, type DeadLetter, discardDeadLetter, listDeadLetters, releaseDeadLetter } from './dead-letter-store.ts';

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

/** Longer than any handler runs. */
const leaseMs = 120_000;

export type Replayed = { readonly outcome: 'replayed' | 'unknown' } | { readonly outcome: 'failed'; readonly reason: string };

/** Runs the consumer's handler on a dead letter, which is removed if that succeeds. The effect happens once. */
export async function replayDeadLetter(id: string): Promise<Replayed> {
  const deadLetter = await claimDeadLetter(id, leaseMs);
  if (deadLetter === null) return { outcome: 'unknown' };
  try {
    await replayed(deadLetter);
  } catch (error) {
    await releaseDeadLetter(id, error);
    return { outcome: 'failed', reason: String(error) };
  }
  await discardDeadLetter(id);
  return { outcome: 'replayed' };
}

async function replayed({ consumer, text = '', cut }: DeadLetter): Promise<void> {
  const replay = theBus().replays.get(consumer);
  if (replay === undefined) throw new Error(`the replica that was asked does not run ${consumer}`);
  if (cut) throw new Error('its text was too long to be kept');
  await replay(text);
}
