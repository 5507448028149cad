import { createHash, randomBytes } from 'node:crypto';
import { apiKeyDigest, formatApiKey, parseApiKey } from './credential-text.ts';
import { generateWebhookSecret, signWebhook } from './webhook-signature.ts';

describe('credential text', () => {
  const key = formatApiKey(Buffer.alloc(32, 0xa5));

  test('a key is wk_ and 49 base62 characters, in the exact format that secret scanners match', () => {
    expect(key).toMatch(/^wk_[0-9A-Za-z]{49}$/);
    expect(key).toBe('wk_dHMOUNLh0UTx6gmQ9MHQdRUvZdbXMLLlzChlYYN1shx28gXvE');
  });

  test('a key encodes all 256 bits: the smallest and the greatest fit, and neighbours differ', () => {
    const keys = ['00'.repeat(32), `${'00'.repeat(31)}01`, `${'ff'.repeat(31)}fe`, 'ff'.repeat(32)].map((hex) =>
      formatApiKey(Buffer.from(hex, 'hex')),
    );
    expect(new Set(keys).size).toBe(4);
    for (const each of keys) expect(parseApiKey(each)).toBe(each);
  });

  test.each([0, 16, 31, 33])('%d random bytes are refused', (length) => {
    expect(() => formatApiKey(randomBytes(length))).toThrow(RangeError);
  });

  test('the checksum detects any wrong, missing or added character and any two swapped neighbours', () => {
    for (let at = 0; at < key.length; at += 1) {
      const [before, rest] = [key.slice(0, at), key.slice(at + 1)];
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(parseApiKey(before + other + rest)).toBeUndefined();
      expect(parseApiKey(before + rest)).toBeUndefined();
      expect(parseApiKey(`${before}x${key.slice(at)}`)).toBeUndefined();
      const swapped = before + rest.slice(0, 1) + key.slice(at, at + 1) + rest.slice(1);
      if (swapped !== key) expect(parseApiKey(swapped)).toBeUndefined();
    }
  });

  test.each(['', 'wk_', ` ${key}`, `${key}\n`, key.toLowerCase(), `embt_${key.slice(3)}`, 'wk_'.padEnd(52, '0'), 'wk_'.padEnd(52, 'ä')])(
    'a malformed key is recognized without a lookup: %p',
    (text) => {
      expect(parseApiKey(text)).toBeUndefined();
    },
  );

  test("a key's digest is its SHA-256 in base64url", () => {
    expect(apiKeyDigest(key)).toBe(createHash('sha256').update(key).digest('base64url'));
  });
});

describe('webhook signature', () => {
  test('a signature equals the Standard Webhooks 1.0 reference vector', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(signWebhook([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  test('during a rotation both secrets sign, the new one first', () => {
    const [fresh, old] = [generateWebhookSecret(), generateWebhookSecret()];
    const alone = [fresh, old].map((secret) => signWebhook([secret], 'id', 1, 'text with ünïcödé'));
    expect(signWebhook([fresh, old], 'id', 1, 'text with ünïcödé')).toBe(alone.join(' '));
  });

  test('every secret is new and has 256 bits', () => {
    const secrets = new Set(Array.from({ length: 100 }, generateWebhookSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  });
});
