import { createHmac } from 'node:crypto';
import { signer, splitSigned } from './signer.ts';

test('the first secret signs, and each verifies what was signed with it', () => {
  const [old, both, fresh] = [signer(['old']), signer(['fresh', 'old']), signer(['fresh'])];
  expect(old.sign('text')).toBe(createHmac('sha256', 'old').update('text').digest('base64url'));
  expect(both.sign('text')).toBe(fresh.sign('text'));
  expect([both.isSigned('text', old.sign('text')), both.isSigned('text', fresh.sign('text'))]).toEqual([true, true]);
  expect([fresh.isSigned('text', old.sign('text')), both.isSigned('other', both.sign('text'))]).toEqual([false, false]);
});

test('a signature that was cut or extended does not verify', () => {
  const { sign, isSigned } = signer(['secret']);
  for (const other of ['', sign('text').slice(1), `${sign('text')}A`, `${sign('text')}ä`]) expect(isSigned('text', other)).toBe(false);
});

test('a signed text is split at its last dot', () => {
  expect([splitSigned('a.b.c'), splitSigned('abc'), splitSigned('')]).toEqual([
    ['a.b', 'c'],
    ['', 'abc'],
    ['', ''],
  ]);
});
