import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '@webkiln/http';
import { logger, type TlsIdentity } from '@webkiln/runtime';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { MountedIdentities } from '@webkiln/runtime/testing/mounted-identities';
import { closeServers, listening } from '../testing/listening.ts';
import { HttpProxy } from './http-proxy.ts';

const limits = { connectionsPerReplica: 8, maxPerNetwork: 8, maxWaitMs: 60_000, stallTimeoutMs: 60_000 };
const { level } = logger;
let ours: Authority;
let foreign: Authority;
beforeAll(async () => {
  logger.level = 'silent';
  ours = await Authority.create();
  foreign = await Authority.create();
});
const proxies: HttpProxy[] = [];
const servers: Server[] = [];
const identities = new MountedIdentities();
afterEach(async () => {
  closeServers();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  for (const server of servers.splice(0)) server.close();
  identities.release();
});
afterAll(() => {
  logger.level = level;
});

async function servedBy(tls: TlsIdentity): Promise<number> {
  const server = createHttpServer((_request, response) => void response.end('the site'), tls);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function gatewayTo(port: number, tls: TlsIdentity): Promise<number> {
  const proxy = new HttpProxy({ service: 'sites', addresses: `127.0.0.1:${port}`, clientAddress: () => '203.0.113.7', limits, tls });
  proxies.push(proxy);
  return listening(proxy.handle);
}

async function statusAt(port: number, host = 'shop.sites.test'): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port, agent: false, headers: { host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test.each([
  ['both have certificates of one authority', 200, () => ours.issue('gateway'), () => ours.issue('sites')],
  ['the certificate of the gateway is of another authority', 503, () => foreign.issue('gateway'), () => ours.issue('sites')],
  ['the caller is another process than the gateway', 503, () => ours.issue('webhooks'), () => ours.issue('sites')],
  ['the service has the name of another one', 503, () => ours.issue('gateway'), () => ours.issue('identity')],
  ['the certificate of the service is of another authority', 503, () => ours.issue('gateway'), () => foreign.issue('sites')],
])('if %s, visitors get %i', async (_case, status, gateway, sites) => {
  const port = await servedBy(identities.mount(await sites()).tls);
  expect(await statusAt(await gatewayTo(port, identities.mount(await gateway()).tls))).toBe(status);
});

test('visitors of several sites share one connection to the service', async () => {
  const port = await servedBy(identities.mount(await ours.issue('sites')).tls);
  let connections = 0;
  servers[0]?.on('secureConnection', () => connections++);
  const gateway = await gatewayTo(port, identities.mount(await ours.issue('gateway')).tls);
  for (const host of ['shop.sites.test', 'bakery.sites.test']) expect(await statusAt(gateway, host)).toBe(200);
  expect(connections).toBe(1);
});

test('a gateway without TLS gets nothing from a service with it', async () => {
  const port = await servedBy(identities.mount(await ours.issue('sites')).tls);
  const sent = request({ host: '127.0.0.1', port, agent: false }).end();
  await expect(once(sent, 'response')).rejects.toThrow();
});

test('gateway and service use new files for new connections, without a restart', async () => {
  const [sites, gateway] = [identities.mount(await ours.issue('sites')), identities.mount(await ours.issue('gateway'))];
  const port = await servedBy(sites.tls);
  const changed = Promise.all([sites, gateway].map(({ tls }) => once(tls, 'change')));
  sites.mount.replace(await foreign.issue('sites'));
  gateway.mount.replace(await foreign.issue('gateway'));
  await changed;
  expect(await statusAt(await gatewayTo(port, gateway.tls))).toBe(200);
  expect(await statusAt(await gatewayTo(port, identities.mount(await ours.issue('gateway')).tls))).toBe(503);
});
