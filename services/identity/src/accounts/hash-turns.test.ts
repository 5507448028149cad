import { setImmediate as nextTick } from 'node:timers/promises';
import { currentRequest, type HashTurn } from '../sign-in/current-request.ts';
import { inHashTurn } from './hash-turns.ts';
import { hashPassword } from './password.ts';

const requestOf = (key: string, rank: HashTurn['rank'] = 'stranger') => ({ path: '/sign-in/email', turn: { key, rank } });

/** Hashes that end when the test says so. */
class Hashes {
  /** The keys of hashes that have begun. */
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];
  readonly #all: Promise<void>[] = [];

  wait(count: number, key: string, rank?: HashTurn['rank']): void {
    const hash = () => {
      this.begun.push(key);
      return new Promise<void>((resolve) => this.#ends.push(resolve));
    };
    for (let at = 0; at < count; at++) this.#all.push(currentRequest.run(requestOf(key, rank), () => inHashTurn(hash)));
  }

  /** Ends one after the other, the one that began first. */
  async endAll(): Promise<void> {
    for (await nextTick(); this.#ends.length > 0; await nextTick()) this.#ends.shift()?.();
    await Promise.all(this.#all);
  }
}

test('while many attempts at one account wait for a hash, that of another account begins at once, and others in turn', async () => {
  const hashes = new Hashes();
  hashes.wait(16, 'attacked');
  hashes.wait(2, 'b');
  hashes.wait(1, 'c');
  await hashes.endAll();
  expect(hashes.begun.slice(0, 5)).toEqual(['attacked', 'b', 'attacked', 'b', 'c']);
  expect(hashes.begun).toHaveLength(19);
});

test('a known device overtakes strangers, and strangers overtake attempts at an attacked account', async () => {
  const hashes = new Hashes();
  for (const key of ['a', 'b', 'c']) hashes.wait(8, key, 'slowed');
  for (const key of ['d', 'e']) hashes.wait(2, key, 'stranger');
  hashes.wait(1, 'f', 'known');
  await hashes.endAll();
  expect(hashes.begun.slice(0, 7)).toEqual(['a', 'b', 'f', 'd', 'e', 'd', 'e']);
  expect(hashes.begun).toHaveLength(29);
});

test('beyond its places an account is refused, as the refusal of its request, before a hash; other accounts are not', async () => {
  const hashes = new Hashes();
  hashes.wait(17, 'attacked');
  const request = requestOf('attacked');
  await expect(currentRequest.run(request, () => hashPassword('a password'))).rejects.toMatchObject({ code: 'overloaded' });
  expect(request).toMatchObject({ refusal: { code: 'overloaded', status: 503 } });
  expect(await currentRequest.run(requestOf('other'), () => hashPassword('a password'))).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  await hashes.endAll();
});
