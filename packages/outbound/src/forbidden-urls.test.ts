import { OutboundRefusal } from './addresses/guarded-connect.ts';
import { Outbound } from './outbound.ts';
import { forbiddenUrls } from './testing/forbidden-urls.ts';
import { forbiddenZone } from './testing/forbidden-zone.ts';
import { Listener } from './testing/listener.ts';
import { NameServer } from './testing/name-server.ts';
import { postTo } from './testing/post-to.ts';

let listener: Listener;
let names: NameServer;
let outbound: Outbound;
beforeAll(async () => {
  listener = await Listener.start();
  names = await NameServer.start(forbiddenZone);
  outbound = new Outbound({ ports: [443, 8443, listener.port], allowHttp: false, allowedCidrs: [], dnsServers: [names.address] });
});
afterAll(async () => {
  await outbound.close();
  await names[Symbol.asyncDispose]();
  await listener[Symbol.asyncDispose]();
});

// The listener's port is known once it is open; the test names need none.
const forms = forbiddenUrls(0).map(([form, why], index) => [why, form, index] as const);
const urlOf = (index: number) => forbiddenUrls(listener.port)[index]?.[0] ?? '';

test('the suite covers at least 70 forms', () => {
  expect(new Set(forms.map(([, form]) => form)).size).toBeGreaterThanOrEqual(70);
});

test.each(forms)('%s is refused when saved and when called: %j', async (_why, _form, index) => {
  const url = urlOf(index);
  await expect(outbound.assertAllowed(url)).rejects.toBeInstanceOf(OutboundRefusal);
  expect(await outbound.post({ url, headers: {}, body: '{}', timeoutMs: 20_000 })).toMatchObject({ outcome: 'failed' });
  expect(listener.connections).toBe(0);
});

const metadata = 'metadata.google.internal';
test.each([
  metadata,
  `${metadata}.`,
  'METADATA.Google.Internal.',
  'metadata。google。internal。',
  `%6d${metadata.slice(1)}.`,
  `${metadata}..`,
  'printer.local.',
  'db.svc.cluster.local',
  'gateway.home.arpa',
  'intranet',
  'hooks.corp',
])('a name that only private networks have is refused when saved, also where it does not resolve: %s', async (host) => {
  names.zone = {};
  await expect(outbound.assertAllowed(`https://${host}:8443/`)).rejects.toBeInstanceOf(OutboundRefusal);
  names.zone = forbiddenZone;
});

test('the dot at the end of a name is no part of it', async () => {
  names.zone = { ...forbiddenZone, 'public.example': { A: ['93.184.216.34'] } };
  await outbound.assertAllowed('https://public.example.:8443/hook');
});

test('the tests’ listener is reachable once an exception allows it', async () => {
  const reachable = { ports: [listener.port], allowHttp: false, allowedCidrs: ['127.0.0.1'], dnsServers: [] };
  const before = listener.connections;
  expect(await postTo(`https://127.0.0.1:${listener.port}/`, reachable)).toMatchObject({ outcome: 'failed' });
  expect(listener.connections).toBe(before + 1);
});

test('public addresses pass, and so does a name that does not resolve yet', async () => {
  names.zone = { ...forbiddenZone, 'public.example': { A: ['93.184.216.34'], AAAA: ['2606:2800:21f:cb07::1'] } };
  await outbound.assertAllowed('https://public.example/hook?a=b');
  await outbound.assertAllowed('https://public.example:8443');
  await outbound.assertAllowed('https://93.184.216.34/');
  await outbound.assertAllowed('https://[2606:2800:21f:cb07::1]/');
  await outbound.assertAllowed('https://not-yet.example/');
});
