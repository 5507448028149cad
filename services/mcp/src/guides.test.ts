import path from 'node:path';
import { Guides } from './guides.ts';

const guides = new Guides(path.resolve(import.meta.dirname, '../../../docs'), 'https://webkiln.test');

test.each([
  ['custom domain DNS records', 'sites'],
  ['how to connect a custom domain', 'sites'],
  ['how does a form send mail notifications', 'sites'],
  ['Idempotency-Key', 'idempotency'],
  ['undo what an agent changed', 'mcp'],
  ['webhok signature verification', 'webhooks'],
])('of the guides about "%s" the one on %s is among those that are found', async (query, guide) => {
  const found = await guides.search(query);
  expect(found.map(({ url }) => url.replace(/#.*/, ''))).toContain(`https://webkiln.test/docs/${guide}`);
});

test('what is found is never more than an agent can read, and has the address of this platform', async () => {
  const all = ['a', 'the', 'settings', 'operations performance', '| `', 'webkiln.example', 'x'.repeat(10_000), ''];
  const sizes = await Promise.all(all.map(async (query) => Buffer.byteLength(JSON.stringify({ passages: await guides.search(query) }))));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000);
  expect(JSON.stringify(await guides.search('webkiln example address'))).not.toContain('https://webkiln.example');
});

test('of a long section the part is shown where the words stand', async () => {
  const [found] = await guides.search('MAILS_STREAM_MB');
  expect(found?.text).toContain('MAILS_STREAM_MB');
});
