import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { FairSlots, gauge } from '@webkiln/runtime';
import * as z from 'zod';
import { currentRequest, type HashTurn, recordRefusal } from './current-request.ts';

const saltBytes = 16;
const keyBytes = 64;
/** The cost of hashes that do not state theirs: better-auth's. */
export const defaultPasswordCost = 14;
const blockSize = 16;
let costOfNew = defaultPasswordCost;

/** Sets the cost of the hashes that this process makes from now on: scrypt's N as a power of two. */
export function usePasswordCost(cost: number): void {
  costOfNew = cost;
}

export const minPasswordLength = 8;
export const maxPasswordLength = 128;

export const Password = z
  .string()
  .min(minPasswordLength, `must have at least ${minPasswordLength} characters`)
  .max(maxPasswordLength, `must have at most ${maxPasswordLength} characters`);

/**
 * Returns `<salt>:<key>`, both hex: scrypt (RFC 7914) in better-auth's format, which uses the hex text itself as the
 * salt. A third part is the cost, where it is not the default.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes).toString('hex');
  const hash = `${salt}:${(await keyOf(password, salt, costOfNew)).toString('hex')}`;
  return costOfNew === defaultPasswordCost ? hash : `${hash}:${costOfNew}`;
}

/** True if the hash is the password's, whatever its cost was. */
export async function passwordMatches(password: string, passwordHash: string): Promise<boolean> {
  const [salt = '', key = '', cost = defaultPasswordCost] = passwordHash.split(':');
  const expected = Buffer.from(key, 'hex');
  return expected.length === keyBytes && timingSafeEqual(await keyOf(password, salt, Number(cost)), expected);
}

/**
 * NFKC unifies what different keyboards send for the same password. Throws `overloaded` if too many wait for a hash.
 */
const keyOf = (password: string, salt: string, log2N: number) =>
  inHashTurn(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        const N = 2 ** log2N;
        const cost = { N, r: blockSize, p: 1, maxmem: 2 * 128 * N * blockSize };
        scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
      }),
  );

/** Checks a password and, if it matches, records its hash in the current request. */
export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const matches = await passwordMatches(password, hash);
  const request = currentRequest.getStore();
  if (matches && request !== undefined) request.verifiedHash = hash;
  return matches;
}

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
