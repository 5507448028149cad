import { readConfig } from '@webkiln/runtime';
import { GatewayConfig } from './config.ts';

const address = '127.0.0.1:1';
const enough = {
  NATS_URL: 'nats://127.0.0.1:4222',
  REDIS_URL: 'redis://127.0.0.1:6379',
  PRINCIPAL_SIGNING_KEY: 'a2V5',
  DASHBOARD_DIR: 'dashboard',
  DOCS_DIR: 'docs',
  ...Object.fromEntries(
    ['IDENTITY', 'CLIENTS_PLANS', 'PROJECTS_TEMPLATES', 'WEBHOOKS', 'ANALYTICS', 'SITES', 'EMBED', 'MCP'].map((name) => [
      `${name}_ADDRESS`,
      address,
    ]),
  ),
  ...Object.fromEntries(['IDENTITY', 'ANALYTICS', 'SITES'].map((name) => [`${name}_HTTP_ADDRESS`, address])),
  ORIGIN: 'https://app.example.com',
  SITES_ORIGIN: 'https://sites.example.net',
  PREVIEW_ORIGIN: 'https://preview.example.org',
};
const start = (changed: Record<string, string>) => () => readConfig(GatewayConfig, { ...enough, ...changed });

test.each([
  ['SITES_ORIGIN', 'https://sites.example.com', 'https://app.example.com'],
  ['PREVIEW_ORIGIN', 'https://example.com', 'https://app.example.com'],
  ['SITES_ORIGIN', 'https://sites.agency.co.uk', 'https://agency.co.uk'],
])('%s at %s is refused beside the dashboard at %s, unless it is allowed by name', (name, site, ORIGIN) => {
  expect(start({ ORIGIN, [name]: site })).toThrow(new RegExp(`^  ${name} must be on another domain than ORIGIN`, 'm'));
  expect(start({ ORIGIN, [name]: site, ALLOW_SHARED_DOMAIN: 'true' })()).toMatchObject({ ORIGIN });
});

test.each([
  ['https://webkiln-sites.co.uk', 'https://webkiln.co.uk'],
  ['https://sites.github.io', 'https://app.github.io'],
  ['http://sites.localhost:8080', 'http://localhost:8080'],
  ['http://sites.localhost:8080', 'http://127.0.0.1:8080'],
])('sites at %s may stand beside the dashboard at %s: browsers count them as two', (SITES_ORIGIN, ORIGIN) => {
  expect(start({ SITES_ORIGIN, ORIGIN })()).toMatchObject({ ORIGIN });
});

test.each(['http://192.168.1.20:8080', 'http://webkiln.local', 'http://localhost.example.com', 'http://10.0.0.7'])(
  'the dashboard at %s, which a network can read, is refused unless it is allowed by name',
  (ORIGIN) => {
    expect(start({ ORIGIN })).toThrow(/^ {2}ORIGIN must be https, or http at localhost/m);
    expect(start({ ORIGIN, ALLOW_PLAIN_HTTP: 'true' })()).toMatchObject({ ORIGIN });
  },
);

test.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://app.localhost', 'https://app.example.com'])(
  'the dashboard at %s starts',
  (ORIGIN) => expect(start({ ORIGIN })()).toMatchObject({ ORIGIN }),
);

test.each([
  ['10.0.0.0/8', '192.0.2.7', true],
  ['::1', 'loopback', true],
  ['10.0.0.0/33', '192.0.2.7', false],
  ['ingress.example.com', '192.0.2.7', false],
])('TRUSTED_PROXIES of %s and %s: valid is %s, and the message tells the form', (first, second, valid) => {
  const { error } = GatewayConfig.shape.TRUSTED_PROXIES.safeParse(`${first}, ${second}`);
  expect(error?.message ?? '').toEqual(valid ? '' : expect.stringContaining('must list IP addresses or CIDRs'));
});
