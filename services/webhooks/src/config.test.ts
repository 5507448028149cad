import { randomBytes } from 'node:crypto';
import { ConfigError, readConfig } from '@webkiln/runtime';
import { WebhooksConfig } from './config.ts';

const key = () => randomBytes(32).toString('base64');
const least = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017',
  NATS_URL: 'nats://127.0.0.1:4222',
  GRPC_PORT: '0',
  PRINCIPAL_TRUSTED_KEYS: `gateway:${key()}`,
  PRINCIPAL_SIGNING_KEY: key(),
  IDENTITY_ADDRESS: '127.0.0.1:4001',
  MAIL_DIR: 'mails',
  WEBHOOK_SECRET_KEYS: `first:${key()}`,
};

test('the first of several keys seals, and each of them opens', () => {
  const [old, fresh] = [`old:${key()}`, `2026-11:${key()}`];
  const before = readConfig(WebhooksConfig, { ...least, WEBHOOK_SECRET_KEYS: old }).WEBHOOK_SECRET_KEYS;
  const { WEBHOOK_SECRET_KEYS: both } = readConfig(WebhooksConfig, { ...least, WEBHOOK_SECRET_KEYS: `${fresh},${old}` });
  const sealed = before.seal('p', 'text');
  expect([both.isCurrent(sealed), both.isCurrent(both.seal('p', 'text'))]).toEqual([false, true]);
  expect(Buffer.from(both.open('p', sealed)).toString()).toBe('text');
});

const sameId = `a:${key()},a:${key()}`;
const short = `a:${randomBytes(31).toString('base64')}`;
test.each(['', 'a', key(), ':', short, sameId, `a:${key()},`, `a:${key()},b`, `a b:${key()}`])(
  'WEBHOOK_SECRET_KEYS=%s is rejected with the name of the variable, and its value is not shown',
  (WEBHOOK_SECRET_KEYS) => {
    const read = () => readConfig(WebhooksConfig, { ...least, WEBHOOK_SECRET_KEYS });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/ {2}WEBHOOK_SECRET_KEYS.* must list id:key/);
    if (WEBHOOK_SECRET_KEYS.length > 10) expect(read).not.toThrow(WEBHOOK_SECRET_KEYS);
  },
);

test.each(['-1', 'many', '1.5'])('QUOTA_WEBHOOKS=%s is refused with an error that names the variable', (QUOTA_WEBHOOKS) => {
  expect(() => readConfig(WebhooksConfig, { ...least, QUOTA_WEBHOOKS })).toThrow(/QUOTA_WEBHOOKS must be a whole number/);
});
