import { setTimeout as pause } from 'node:timers/promises';

const pollIntervalMs = 100;
const timeoutMs = 120_000;

/** The deliveries that a receiver got. Each event counts once. */
export interface Tally {
  readonly count: number;
  /** Seconds from the first event to the last. */
  readonly seconds: number;
  /** Latency from the request that caused the event; 0 if its time is unknown. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export const readTally = async (receiver: string): Promise<Tally> => (await fetch(receiver)).json() as Promise<Tally>;

export const resetTally = async (receiver: string): Promise<void> => void (await fetch(receiver, { method: 'DELETE' }));

/** Resolves when the receiver has `count` events. */
export async function waitForTally(receiver: string, count: number): Promise<Tally> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const tally = await readTally(receiver);
    if (tally.count >= count) return tally;
    if (performance.now() > deadline) throw new Error(`${tally.count} of ${count} events arrived within ${timeoutMs / 1000} s`);
    await pause(pollIntervalMs);
  }
}
