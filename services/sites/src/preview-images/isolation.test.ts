import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@webkiln/store/testing';
import { chromiumPath } from '../testing/chromium.ts';
import { Screenshotter } from './screenshotter.ts';

jest.setTimeout(900_000);

const url = 'http://shop.sites.test/';
const timeouts = { withScriptsMs: 120_000, withoutScriptsMs: 120_000 };
const secret = randomUUID();
const settings = ['MONGODB_URL', 'NATS_URL', 'PRINCIPAL_SIGNING_KEY'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'isolation-'));
  for (const name of settings) process.env[name] = secret;
});
afterEach(() => {
  for (const name of settings) delete process.env[name];
  rmSync(folder, { recursive: true });
});

/** What a running process shows of itself in /proc. Empty for what cannot be read because it has ended. */
const read = (pid: string, file: string) => attempt(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'), '');
const link = (pid: string, file: string) => attempt(() => readlinkSync(`/proc/${pid}/${file}`), '');
const openFiles = (pid: string) => attempt(() => readdirSync(`/proc/${pid}/fd`), []).map((fd) => link(pid, `fd/${fd}`));

function attempt<T>(reading: () => T, otherwise: T): T {
  try {
    return reading();
  } catch {
    return otherwise;
  }
}

/** The processes that this one has started, and that these have. */
function descendants(): string[] {
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));
  const parents = new Map(pids.map((pid) => [pid, /^PPid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1]]));
  const isOurs = (pid: string | undefined): boolean => pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)));
  return pids.filter((pid) => pid !== String(process.pid) && isOurs(pid));
}

interface Seen {
  readonly command: string;
  readonly hasSecret: boolean;
  readonly sharesNetwork: boolean;
  /** Sockets, pipes and files that this process has open, too. */
  readonly shared: readonly string[];
  /** A system call filter is on (seccomp). */
  readonly isFiltered: boolean;
}

/** The processes that were started since `others` were read. */
function look(others: readonly string[]): Seen[] {
  const own = new Set(openFiles('self').filter((target) => /^(socket|pipe):|^\/(?!dev\/)/.test(target)));
  const started = descendants().filter((pid) => !others.includes(pid));
  return started.map((pid) => ({
    command: read(pid, 'cmdline').replaceAll('\0', ' '),
    hasSecret: read(pid, 'environ').includes(secret),
    sharesNetwork: link(pid, 'ns/net') === link('self', 'ns/net'),
    shared: openFiles(pid).filter((target) => own.has(target)),
    isFiltered: /^Seccomp:\s+2/m.test(read(pid, 'status')),
  }));
}

const pagesIn = (processes: readonly Seen[]) => processes.filter(({ command }) => command.includes('--type=renderer'));

test('every process of a browser has no secret, no open file of ours and no network, and pages run in a sandbox; or there is no browser', async () => {
  const others = descendants();
  const looks: Seen[][] = [];
  const answer = async () => {
    let seen = look(others);
    const areFiltered = () => {
      seen = look(others);
      return pagesIn(seen).every(({ isFiltered }) => isFiltered);
    };
    // A process for pages has its filter before it opens one, but not from its first moment.
    await until(areFiltered, 30_000).catch(() => undefined);
    looks.push(seen);
    return { status: 200, headers: ['Content-Type', 'text/html'], body: Buffer.from('page') };
  };
  const image = await new Screenshotter(await chromiumPath(), { sandbox: 'required', timeouts }).capture({ url, answer });
  expect(looks.length > 0).toBe(image !== undefined);
  for (const processes of looks) {
    const browser = processes.filter(({ command }) => command.includes('--remote-debugging-pipe') && !command.startsWith('unshare '));
    const pages = pagesIn(processes);
    expect([browser.length > 0, pages.length > 0]).toEqual([true, true]);
    expect(processes.filter(({ command }) => command.includes('--no-sandbox'))).toEqual([]);
    expect(processes.filter(({ hasSecret, shared }) => hasSecret || shared.length > 0)).toEqual([]);
    expect([...browser, ...pages].filter(({ sharesNetwork }) => sharesNetwork)).toEqual([]);
    expect(pages.filter(({ isFiltered }) => !isFiltered)).toEqual([]);
  }
});

/** A program that writes down how it was called, and ends as Chromium does where it gets no sandbox. */
function unstartable(): { program: string; calls: () => string[] } {
  const program = path.join(folder, 'browser');
  const calls = path.join(folder, 'calls');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${calls}\nexit 1\n`, { mode: 0o755 });
  return { program, calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []) };
}

const withoutSandbox = (calls: readonly string[]) => calls.filter((call) => call.includes('--no-sandbox'));

test('a browser that does not start in its sandbox is not started without one', async () => {
  const { program, calls } = unstartable();
  expect(await new Screenshotter(program, { sandbox: 'required' }).capture({ url, answer: async () => null })).toBeUndefined();
  expect(withoutSandbox(calls())).toEqual([]);
});

test('a browser that does not start in its sandbox is started without one where that is preferred only', async () => {
  const { program, calls } = unstartable();
  expect(await new Screenshotter(program, { sandbox: 'preferred' }).capture({ url, answer: async () => null })).toBeUndefined();
  expect(withoutSandbox(calls())).not.toEqual([]);
});
