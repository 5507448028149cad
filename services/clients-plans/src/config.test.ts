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

test('whom mails come from may have a name', () => {
  expect(readConfig(ClientsPlansConfig, { ...env, MAIL_FROM: 'Kiln Studio <hello@kiln.example>' })).toMatchObject({
    ORIGIN: 'http://localhost:8080',
    MAIL_FROM: { name: 'Kiln Studio', address: 'hello@kiln.example' },
  });
  expect(readConfig(ClientsPlansConfig, { ...env, MAIL_FROM: 'hello@kiln.example' }).MAIL_FROM.name).toBe('hello@kiln.example');
});

test.each([
  ['SMTP_URL', { MAIL_DIR: '' }],
  ['SMTP_URL', { SMTP_URL: 'http://mail.example' }],
  ['MAIL_FROM', { MAIL_FROM: 'Kiln Studio' }],
  ['MAIL_FROM', { MAIL_FROM: 'a@example.com, b@example.com' }],
  ['INVITATION_SECRET', { INVITATION_SECRET: 'short' }],
  ['INVITATION_SECRET', { INVITATION_SECRET: '' }],
  ['ORIGIN', { ORIGIN: 'kiln.example' }],
  ['IDENTITY_ADDRESS', { IDENTITY_ADDRESS: '' }],
])('a start that lacks what it needs names the variable: %s %p', (name, wrong) => {
  expect(() => readConfig(ClientsPlansConfig, { ...env, ...wrong })).toThrow(new RegExp(`\\n  ${name} `));
});
