import { publicEvents, webhookEvents } from './events.ts';
import { customDomains, siteHosts } from './site-name.ts';

describe('events', () => {
  const context = { org_id: '7d4f3c52-8a61-4b0e-9f6e-1b1d52a7c0de', at: '2026-03-02T09:45:30.004Z' };

  test.each(webhookEvents)('the sample of %s satisfies the schema of its data, without further fields', (type) => {
    const { data, sample } = publicEvents[type];
    const strict = data.strict();
    const shown = sample(context);
    expect(strict.parse(shown)).toEqual(shown);
    for (const [name, schema] of Object.entries(data.shape)) {
      const record = (shown as Record<string, object>)[name];
      expect(schema.strict().parse(record)).toEqual(record);
    }
  });
});

describe('site name', () => {
  const domainOf = customDomains(['app.example.com', 'sites.example.net']);

  test.each([
    ['www.bakery.fr', 'www.bakery.fr'],
    ['WWW.Bakery.FR.:8080', 'www.bakery.fr'],
    ['xn--bckerei-5wa.example', 'xn--bckerei-5wa.example'],
    ['notapp.example.com', 'notapp.example.com'],
  ])('%s may be a custom domain', (host, name) => {
    expect(domainOf(host)).toBe(name);
  });

  test.each([
    undefined,
    '',
    'localhost',
    'gateway',
    '127.0.0.1:8080',
    '10.0.0.1',
    '[::1]:80',
    'app.example.com',
    'APP.example.com:443',
    'deep.below.app.example.com',
    'a.sites.example.net',
    'under_score.example',
    '-a.example',
    'a..example',
    'a.example/path',
    `${'a.'.repeat(200)}example`,
  ])('%s is none', (host) => {
    expect(domainOf(host)).toBeUndefined();
  });

  test('a published site is found by its label or by its own domain', () => {
    const nameOf = siteHosts('sites.example.net', ['app.example.com']);
    const hosts = ['shop.sites.example.net', 'www.shop.example', 'a.shop.sites.example.net', 'app.example.com'];
    expect(hosts.map(nameOf)).toEqual(['shop', 'www.shop.example', undefined, undefined]);
  });
});
