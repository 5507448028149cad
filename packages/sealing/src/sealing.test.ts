import { createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Keyring, signer, splitSigned } from './sealing.ts';

describe('a keyring', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const old = new Keyring(new Map([['first', first]]));
  const both = new Keyring(new Map([['second', second]]).set('first', first));
  const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

  test('a sealed text is AES-256-GCM under a key derived for its purpose: nonce, tag, ciphertext', () => {
    const sealed = Buffer.from(old.seal('of a', 'ünïcödé').replace('first.', ''), 'base64url');
    const key = Buffer.from(hkdfSync('sha256', first, '', 'of a', 32));
    const opening = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(12, 28));
    expect(Buffer.concat([opening.update(sealed.subarray(28)), opening.final()]).toString()).toBe('ünïcödé');
  });

  test('the same text is sealed differently each time', () => {
    expect(old.seal('p', 'text')).not.toBe(old.seal('p', 'text'));
  });

  test('the first key seals, and each key opens the texts that it sealed', () => {
    expect(textOf(both.open('p', old.seal('p', 'text')))).toBe('text');
    expect(textOf(both.open('p', both.seal('p', 'text')))).toBe('text');
    expect([old.hasOlder, both.hasOlder]).toEqual([false, true]);
    expect([both.isCurrent(old.seal('p', '')), both.isCurrent(both.seal('p', ''))]).toEqual([false, true]);
  });

  test('opening a text names its key if that is missing', () => {
    expect(() => old.open('p', both.seal('p', 'text'))).toThrow('the key second');
  });

  test('a text does not open for another purpose, with another key of that id, or after any bit was changed', () => {
    const sealed = old.seal('of a', 'text');
    expect(() => old.open('of b', sealed)).toThrow();
    expect(() => new Keyring(new Map([['first', second]])).open('of a', sealed)).toThrow();
    const [id, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => old.open('of a', `${id}.${changed.toString('base64url')}`)).toThrow();
    }
    for (const cut of ['', 'first', 'first.', 'first.AAAA']) expect(() => old.open('of a', cut)).toThrow();
  });

  test('a keyring needs at least one key', () => {
    expect(() => new Keyring(new Map())).toThrow(RangeError);
  });
});

describe('a signer', () => {
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
});
