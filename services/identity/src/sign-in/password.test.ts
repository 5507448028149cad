import { setImmediate as nextTick } from 'node:timers/promises';
import { currentRequest, type HashTurn } from './current-request.ts';
import { hashPassword, inHashTurn, passwordMatches } from './password.ts';

// Made with @better-auth/utils 0.5.0: hashPassword('correct horse ﬁne battery').
const fromBetterAuth =
  '0e5eeba1e10d09f4b46d63c787332b27:4f3da46fb0d6b56f7a958eb7492dd1b166c87df4e3697e8770e47e76d87601af746f5c66ec2d38f5f2aea66566d30672f7598e014bdecc74d847919ece8e8a9d';

test('a hash made by better-auth is accepted, and its password matches in any Unicode normalization form', async () => {
  expect(await passwordMatches('correct horse ﬁne battery', fromBetterAuth)).toBe(true);
  expect(await passwordMatches('correct horse fine battery', fromBetterAuth)).toBe(true);
  expect(await passwordMatches('correct horse fine batterz', fromBetterAuth)).toBe(false);
});

test('a hash has the format that better-auth reads', async () => {
  const hash = await hashPassword('a password');
  expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  expect(await passwordMatches('a password', hash)).toBe(true);
});

test('hashing the same password twice gives different hashes', async () => {
  expect(await hashPassword('a password')).not.toBe(await hashPassword('a password'));
});

test.each(['', ':', 'nonsense', `${'0'.repeat(32)}:`, `${'0'.repeat(32)}:00`])(
  'no password matches the malformed hash %p',
  async (hash) => {
    expect(await passwordMatches('a password', hash)).toBe(false);
  },
);

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
