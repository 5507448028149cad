import { theBus } from '../bus.ts';
import type { DeadLetter } from './dead-letter-store.ts';
import { claimDeadLetter, discardDeadLetter, releaseDeadLetter } from './replay-store.ts';

/** Longer than any handler runs. */
const leaseMs = 120_000;

export type Replayed = { readonly outcome: 'replayed' | 'unknown' } | { readonly outcome: 'failed'; readonly reason: string };

/** Runs the consumer's handler on a dead letter, which is removed if that succeeds. The effect happens once. */
export async function replayDeadLetter(id: string): Promise<Replayed> {
  const letter = await claimDeadLetter(id, leaseMs);
  if (letter === null) return { outcome: 'unknown' };
  try {
    await replayed(letter);
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
