import { hintAboutNames } from './names.ts';

const urls = ['http://bakery.sites.localhost:8080', 'http://one.preview.localhost:8080'];
const unknown = async () => {
  throw new Error('ENOTFOUND');
};

test('where names below .localhost do not resolve, the start says so and gives addresses that do', async () => {
  const hint = await hintAboutNames(urls, unknown);
  expect(hint).toContain('does not resolve names below .localhost');
  expect(hint).toContain('127.0.0.1 bakery.sites.localhost one.preview.localhost');
  expect(hint).toContain('curl --resolve bakery.sites.localhost:8080:127.0.0.1 http://bakery.sites.localhost:8080');
  expect(hint).toContain('SITES_ORIGIN=http://sites.127.0.0.1.sslip.io:8080');
});

test('where they resolve, or sites have names of their own, it says nothing', async () => {
  for (const address of ['127.0.0.1', '::1']) expect(await hintAboutNames(urls, async () => ({ address }))).toBeUndefined();
  expect(await hintAboutNames(['https://bakery.sites.example.com'], unknown)).toBeUndefined();
  expect(await hintAboutNames([], unknown)).toBeUndefined();
  // A name of a public resolver that leads elsewhere is none of this machine.
  expect(await hintAboutNames(urls, async () => ({ address: '203.0.113.7' }))).toBeDefined();
});
