import { generateWebhookSecret, signWebhook } from './webhook-signature.ts';

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
