import { readConfig } from '@webkiln/runtime';
import { SitesConfig } from './config.ts';

const enough = {
  MONGODB_URL: 'mongodb://127.0.0.1:27017/?replicaSet=rs0',
  GRPC_PORT: '0',
  PRINCIPAL_TRUSTED_KEYS: 'gateway:a2V5',
  PREVIEW_ORIGIN: 'https://preview.example.net',
  NATS_URL: 'nats://127.0.0.1:4222',
  PRINCIPAL_SIGNING_KEY: 'a2V5',
  PROJECTS_TEMPLATES_ADDRESS: '127.0.0.1:1',
  CLIENTS_PLANS_ADDRESS: '127.0.0.1:1',
  IDENTITY_ADDRESS: '127.0.0.1:1',
  MAIL_DIR: 'mail',
  HTTP_PORT: '0',
  ORIGIN: 'https://app.example.com',
  SITES_ORIGIN: 'https://sites.example.com',
};

test('unset variables have defaults', () => {
  expect(readConfig(SitesConfig, enough)).toMatchObject({ HTTP_PORT: 0, SITES_CACHE_MB: 64, FORMS_PER_SITE_HOUR: 200 });
});

test('CHROMIUM_PATH is optional and may be empty', () => {
  expect(readConfig(SitesConfig, { ...enough, CHROMIUM_PATH: process.execPath }).CHROMIUM_PATH).toBe(process.execPath);
  for (const none of ['', undefined]) expect(readConfig(SitesConfig, { ...enough, CHROMIUM_PATH: none }).CHROMIUM_PATH).toBeUndefined();
});

test.each([
  ['SITES_ORIGIN', 'sites.example.com'],
  ['SITES_ORIGIN', ''],
  ['SITES_CACHE_MB', '0'],
  ['SITES_CACHE_MB', 'much'],
  ['FORMS_PER_SITE_HOUR', '0'],
  ['FORMS_PER_SITE_HOUR', 'few'],
  ['HTTP_PORT', '70000'],
  ['PROJECTS_TEMPLATES_ADDRESS', ''],
  ['ABUSE_CONTACT', 'http://example.com/report'],
  ['ABUSE_CONTACT', 'javascript:alert(1)'],
  ['CHROMIUM_PATH', '/there/is/no/such/program'],
])('%s="%s" is refused with an error that names the variable', (variable, value) => {
  expect(() => readConfig(SitesConfig, { ...enough, [variable]: value })).toThrow(new RegExp(`^  ${variable} (must be|is not set)`, 'm'));
});
