import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchService } from './launch-process.ts';
import { killOrphans } from './orphans.ts';
import { claimPort, isFree, PortRegistry } from './port-registry.ts';
import { Supervised } from './supervised.ts';

describe('orphans', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'leftovers-')));
    mkdirSync(path.join(folder, 'data/nats'), { recursive: true });
    mkdirSync(path.join(folder, 'data-of-others'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  async function runsIn(name: string): Promise<number> {
    const child = spawn('sleep', ['60'], { cwd: path.join(folder, name) });
    children.push(child);
    await once(child, 'spawn');
    return child.pid ?? 0;
  }

  test('recorded processes are ended if they run in the data folder, and no others are', async () => {
    const [ours, others, elsewhere] = [await runsIn('data/nats'), await runsIn('data-of-others'), await runsIn('.')];
    const gone = 2 ** 22 + 1; // above the largest process id
    const exit = once(children[0] as ChildProcess, 'exit');
    expect(await killOrphans([ours, others, elsewhere, process.pid, gone], path.join(folder, 'data'))).toEqual([ours]);
    await exit;
    expect(children.map(({ signalCode }) => signalCode)).toEqual(['SIGTERM', null, null]);
  });
});

describe('port registry', () => {
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
});

describe('supervised', () => {
  let folder: string;
  const reported: string[] = [];
  const started: Supervised[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'supervised-'));
    reported.length = 0;
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((process) => process.stop()));
    rmSync(folder, { recursive: true });
  });

  /** A process that runs `script` under Node. */
  function supervise(script: string): Supervised {
    const command = { program: process.execPath, args: ['-e', script], cwd: folder };
    const supervised = new Supervised({
      name: 'potter',
      launch: async () => launchService(command, (line) => reported.push(line)),
      readyTimeoutMs: 120_000,
      report: (name, text) => reported.push(`${name} ${text}`),
      onLaunched: () => undefined,
    });
    started.push(supervised);
    return supervised;
  }

  const serving = 'process.send({ ready: true }); process.on("disconnect", () => process.exit());';

  function isAlive(pid: number | undefined): boolean {
    try {
      return pid !== undefined && process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  test('a process that is killed is reported with its signal and started again', async () => {
    const potter = supervise(serving);
    await potter.start();
    const { pid } = potter;
    await potter.replace('SIGKILL');
    expect(reported).toEqual(['potter ready', 'potter ended unexpectedly (SIGKILL), starting it again', 'potter ready']);
    expect(potter.pid).not.toBe(pid);
    expect(isAlive(potter.pid)).toBe(true);
  });

  test('a process that ends by itself is reported with its exit code and started again, any number of times', async () => {
    const potter = supervise(`
    const fs = require('node:fs');
    fs.appendFileSync('starts', '.');
    const starts = fs.readFileSync('starts').length;
    if (starts === 2 || starts === 3) process.exit(starts);
    ${serving}`);
    await potter.start();
    await potter.replace('SIGTERM');
    expect(reported).toEqual([
      'potter ready',
      'potter ended unexpectedly (SIGTERM), starting it again',
      'potter ended unexpectedly (code 2), starting it again',
      'potter ended unexpectedly (code 3), starting it again',
      'potter ready',
    ]);
  });

  test('a process that fails at its first start is not started again', async () => {
    const potter = supervise('console.error("no clay"); process.exit(78)');
    await expect(potter.start()).rejects.toThrow('potter ended before it was ready (code 78)');
    // Its output may arrive after its exit.
    while (reported.length === 0) await pause(10);
    expect(reported).toEqual(['no clay']);
  });

  test('a process that is stopped stays stopped, and can be started again', async () => {
    const potter = supervise(serving);
    await potter.start();
    const { pid } = potter;
    await potter.stop();
    expect(isAlive(pid)).toBe(false);
    expect(reported).toEqual(['potter ready']); // and no unexpected end
    await potter.start();
    expect(isAlive(potter.pid)).toBe(true);
  });

  test('a paused process can be stopped', async () => {
    const potter = supervise(serving);
    await potter.start();
    const { pid } = potter;
    potter.signal('SIGSTOP');
    await potter.stop();
    expect(isAlive(pid)).toBe(false);
  });
});
