import { readConfig } from '@webkiln/runtime';
import { IdentityConfig } from './config.ts';

const pepper = Buffer.alloc(32, 7);
const env = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
  NATS_URL: 'nats://127.0.0.1:4222',
  GRPC_PORT: '0',
  HTTP_PORT: '0',
  ORIGIN: 'https://app.example.com/',
  AUTH_SECRET: 'a'.repeat(32),
  MAIL_DIR: 'mail',
  PRINCIPAL_TRUSTED_KEYS: 'gateway:AAAA',
  KEY_PEPPER: pepper.toString('base64'),
};

test('the pepper is the decoded bytes of the setting', () => {
  expect(readConfig(IdentityConfig, env).KEY_PEPPER).toEqual([pepper]);
});

test.each([undefined, '', 'not base64!', Buffer.alloc(31).toString('base64')])(
  'start fails with the pepper %p and names the setting',
  (KEY_PEPPER) => {
    expect(() => readConfig(IdentityConfig, { ...env, KEY_PEPPER })).toThrow(/KEY_PEPPER/);
  },
);
