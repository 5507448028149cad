import { generateSigningKey } from '@webkiln/rpc';
import { readConfig } from '@webkiln/runtime';
import { ProjectsTemplatesConfig } from './config.ts';

const { privateKey, publicKey } = generateSigningKey();
const env = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017',
  NATS_URL: 'nats://127.0.0.1:4222',
  GRPC_PORT: '0',
  PRINCIPAL_TRUSTED_KEYS: `gateway:${publicKey}`,
  PRINCIPAL_SIGNING_KEY: privateKey,
  CLIENTS_PLANS_ADDRESS: '127.0.0.1:5001',
  IDENTITY_ADDRESS: '127.0.0.1:5002',
  ORIGIN: 'http://localhost:8080/',
  SITES_ORIGIN: 'http://sites.localhost:8080',
  PREVIEW_ORIGIN: 'http://preview.localhost:8080',
  PREVIEW_SECRET: 'a secret of at least thirty-two characters',
};

test('unset variables have defaults, and the origin has no trailing slash', () => {
  expect(readConfig(ProjectsTemplatesConfig, env)).toMatchObject({
    ORIGIN: 'http://localhost:8080',
    BLOB_GRACE_MS: 600_000,
    EVENTS_PREFIX: '',
  });
});

test.each([
  ['BLOB_GRACE_MS', { BLOB_GRACE_MS: '60000' }],
  ['BLOB_GRACE_MS', { BLOB_GRACE_MS: 'soon' }],
  ['ORIGIN', { ORIGIN: 'kiln.example' }],
  ['ORIGIN', { ORIGIN: '' }],
  ['PREVIEW_ORIGIN', { PREVIEW_ORIGIN: 'preview.example' }],
  ['PREVIEW_SECRET', { PREVIEW_SECRET: 'short' }],
  ['PREVIEW_SECRET', { PREVIEW_SECRET: '' }],
  ['CLIENTS_PLANS_ADDRESS', { CLIENTS_PLANS_ADDRESS: '' }],
  ['EVENTS_PREFIX', { EVENTS_PREFIX: 'a.b' }],
])('an invalid configuration names the variable: %s %p', (name, wrong) => {
  expect(() => readConfig(ProjectsTemplatesConfig, { ...env, ...wrong })).toThrow(new RegExp(`\\n  ${name} `));
});
