import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 100;
const withinMs = 120_000;

/** What a receiver got; each event counts once. */
export interface Tally {
  readonly count: number;
  /** From the first to the last. */
  readonly seconds: number;
  /** From the request that caused the event; 0 where nobody said when that was. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const tallyOf = async (receiver: string): Promise<Tally> => (await fetch(receiver)).json() as Promise<Tally>;

export const forgetTally = async (receiver: string): Promise<void> => void (await fetch(receiver, { method: 'DELETE' }));

/** Resolves when so many events have come. */
export async function tallyReaches(receiver: string, count: number): Promise<Tally> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const tally = await tallyOf(receiver);
    if (tally.count >= count) return tally;
    if (performance.now() > deadline) throw new Error(`${tally.count} of ${count} events came within ${withinMs / 1000} s`);
    await pause(pollMs);
  }
}
