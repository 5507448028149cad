import { AppError } from '@webkiln/contract';
import { FairSlots, gauge } from '@webkiln/runtime';
import { currentRequest, type HashTurn, recordRefusal } from '../sign-in/current-request.ts';

/** Half of libuv's threads: files and DNS keep the others. */
const maxHashes = 2;
/** The gateway waits 15 s for an answer. */
const waitingBounds = { maxWaitingPerKey: 16, maxWaiting: 128, maxWaitMs: 10_000 };

const ranks: readonly HashTurn['rank'][] = ['known', 'stranger', 'slowed'];

const slots = new FairSlots({
  slots: maxHashes,
  maxPerKey: 1,
  ranks: ranks.length,
  ...waitingBounds,
  refusal: () => new AppError('overloaded'),
});

gauge({
  name: 'webkiln_password_hashes_waiting',
  help: 'Passwords that wait for a thread to be hashed on',
  collect() {
    this.set(slots.waiting);
  },
});

/** RPCs, such as an invitation that is accepted, have proved something already; they share one key. */
const ofRpc: HashTurn = { key: '', rank: 'stranger' };

/**
 * Runs `hash` when it is the turn of the current request. Throws `overloaded` if too many wait, or it waited too long.
 */
export async function inHashTurn<T>(hash: () => Promise<T>): Promise<T> {
  const { key, rank } = currentRequest.getStore()?.turn ?? ofRpc;
  try {
    return await slots.run(key, hash, ranks.indexOf(rank));
  } catch (error) {
    recordRefusal(error);
    throw error;
  }
}
