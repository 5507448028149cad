import { generateSigningKey } from '@webkiln/rpc';
import { readConfig } from '@webkiln/runtime';
import { ClientsPlansConfig } from './config.ts';

const { privateKey, publicKey } = generateSigningKey();
const env = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017',
  NATS_URL: 'nats://127.0.0.1:4222',
  GRPC_PORT: '0',
  PRINCIPAL_TRUSTED_KEYS: `gateway:${publicKey}`,
  PRINCIPAL_SIGNING_KEY: privateKey,
  IDENTITY_ADDRESS: '127.0.0.1:5001',
  ORIGIN: 'http://localhost:8080/',
  INVITATION_SECRET: 'a secret of at least thirty-two characters',
  MAIL_DIR: 'mail',
};

test('the public URL is reduced to its origin', () => {
  expect(readConfig(ClientsPlansConfig, env).ORIGIN).toBe('http://localhost:8080');
});

test.each([
  ['SMTP_URL', { MAIL_DIR: '' }],
  ['INVITATION_SECRET', { INVITATION_SECRET: 'short' }],
  ['INVITATION_SECRET', { INVITATION_SECRET: '' }],
  ['ORIGIN', { ORIGIN: 'kiln.example' }],
  ['IDENTITY_ADDRESS', { IDENTITY_ADDRESS: '' }],
])('a start with a missing or invalid setting fails with its name: %s %p', (name, wrong) => {
  expect(() => readConfig(ClientsPlansConfig, { ...env, ...wrong })).toThrow(new RegExp(`\\n  ${name} `));
});
