import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claimPort, isFree, PortRegistry } from './port-registry.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ports-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The port that an earlier start, which has ended, used. */
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

test('a listener gets another port if a program has taken its own', async () => {
  const port = await portOfEarlierStart();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const next = await new PortRegistry(folder).portFor('nats');
  other.close();
  expect(next).not.toBe(port);
  expect(await isFree(next, '127.0.0.1')).toBe(true);
});

test('no two listeners share a port, even if all ports are requested at once', async () => {
  const registry = new PortRegistry(folder);
  const ports = await Promise.all(Array.from({ length: 50 }, (_, index) => registry.portFor(`listener ${index}`)));
  expect(new Set(ports).size).toBe(50);
});

test('a listener gets another port if another start has claimed its own, even before anything listens there', async () => {
  const port = await portOfEarlierStart();
  const claim = await claimPort(port);
  const next = await new PortRegistry(folder).portFor('nats');
  claim?.close();
  expect(next !== port).toBe(process.platform === 'linux');
});

test('a ports.json that a killed run left half written is ignored', async () => {
  writeFileSync(path.join(folder, 'ports.json'), '{"nats": 2');
  expect(await new PortRegistry(folder).portFor('nats')).toBeGreaterThanOrEqual(20_000);
});
