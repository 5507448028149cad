import { readConfig } from '@webkiln/runtime';
import { AnalyticsConfig } from './config.ts';

const enough = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
  NATS_URL: 'nats://127.0.0.1:4222',
  GRPC_PORT: '0',
  HTTP_PORT: '0',
  PRINCIPAL_TRUSTED_KEYS: 'gateway:a2V5',
  PRINCIPAL_SIGNING_KEY: 'a2V5',
  PROJECTS_TEMPLATES_ADDRESS: '127.0.0.1:1',
  IDENTITY_ADDRESS: '127.0.0.1:1',
  SITES_ORIGIN: 'https://sites.example.com',
};

test('unset variables take their defaults', () => {
  expect(readConfig(AnalyticsConfig, enough)).toMatchObject({ ANALYTICS_PARTITIONS: 4, VIEWS_STREAM_MB: 1024, VIEWS_PER_ADDRESS: 1200 });
});

test.each([
  ['SITES_ORIGIN', 'sites.example.com'],
  ['ANALYTICS_PARTITIONS', '0'],
  ['ANALYTICS_PARTITIONS', '1.5'],
  ['VIEWS_STREAM_MB', 'much'],
  ['VIEWS_PER_ADDRESS', '49'],
  ['HTTP_PORT', '70000'],
])('%s="%s" is rejected with the name of the variable', (variable, value) => {
  expect(() => readConfig(AnalyticsConfig, { ...enough, [variable]: value })).toThrow(new RegExp(`^  ${variable} must be`, 'm'));
});
