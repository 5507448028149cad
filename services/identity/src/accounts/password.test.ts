import { hashPassword, passwordMatches } from './password.ts';

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
