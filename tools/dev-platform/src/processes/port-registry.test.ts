import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claimPort } from './claim-port.ts';
import { isFree, PortRegistry } from './port-registry.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ports-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As after a start that has ended. */
async function portOfEarlierStart(): Promise<number> {
  const registry = new PortRegistry(folder);
  const port = await registry.portFor('nats');
  registry.release();
  return port;
}

test('a listener has the same port at the next start', async () => {
  const port = await portOfEarlierStart();
  expect(await new PortRegistry(folder).portFor('nats')).toBe(port);
});

test('a port that another program has taken meanwhile is given up', async () => {
  const port = await portOfEarlierStart();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const next = await new PortRegistry(folder).portFor('nats');
  other.close();
  expect(next).not.toBe(port);
  expect(await isFree(next, '127.0.0.1')).toBe(true);
});

test('no two listeners share a port, however they are asked for', async () => {
  const registry = new PortRegistry(folder);
  const ports = await Promise.all(Array.from({ length: 50 }, (_, index) => registry.portFor(`listener ${index}`)));
  expect(new Set(ports).size).toBe(50);
});

test('a port that another start has chosen is given up, though nobody listens on it yet', async () => {
  const port = await portOfEarlierStart();
  const claim = await claimPort(port);
  const next = await new PortRegistry(folder).portFor('nats');
  claim?.close();
  expect(next !== port).toBe(process.platform === 'linux');
});

test('a file that was half written when a run was killed does no harm', async () => {
  writeFileSync(path.join(folder, 'ports.json'), '{"nats": 2');
  expect(await new PortRegistry(folder).portFor('nats')).toBeGreaterThanOrEqual(20_000);
});
