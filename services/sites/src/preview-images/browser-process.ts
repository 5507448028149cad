import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevTools } from './devtools.ts';

/** Data size limit of each browser process (RLIMIT_DATA), in kilobytes. A process that exceeds it ends. */
const maxDataKb = 512 * 1024;

const limitMemory = 'ulimit -d "$0" && exec "$@"';

/**
 * Runs the browser in network and process namespaces of its own (`unshare` of util-linux): it has no network device
 * and sees no other process. Its user there is unprivileged, also if ours is root, which Chromium's sandbox refuses.
 */
const ownNamespaces = 'unshare --user --map-user=1000 --map-group=1000 --net --pid --fork --kill-child --mount-proc'.split(' ');

/** What keeps a browser apart from the system, besides its emptied environment. */
export interface Isolation {
  /** Namespaces of its own, without a network. */
  readonly namespaces: boolean;
  /** Chromium's own sandbox, which keeps the page's process from the browser's. */
  readonly sandbox: boolean;
}

interface Browser {
  readonly program: string;
  readonly isolation: Isolation;
  /** Ends the browser early. */
  readonly signal: AbortSignal;
}

/** The browser ended, or was ended, before the work was done. */
class BrowserEnded extends Error {
  override readonly name: string = 'BrowserEnded';
}

/** The browser ended before it answered its first command; most likely the system does not allow its isolation. */
export class BrowserUnstartable extends BrowserEnded {
  override readonly name = 'BrowserUnstartable';
}

/**
 * Starts a browser without our environment, in its own process group and folder, and kills all of it when `work` ends
 * or the signal aborts. Throws `BrowserEnded` if the signal aborts or the browser ends first.
 */
export async function withBrowser<T>({ program, isolation, signal }: Browser, work: (devtools: DevTools) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'preview-image-'));
  const options = ['--headless=new', '--remote-debugging-pipe', `--user-data-dir=${folder}`, ...browserOptions];
  const args = isolation.sandbox ? options : [...options, '--no-sandbox'];
  const command = [...(isolation.namespaces ? ownNamespaces : []), program, ...args];
  const limited = ['-c', limitMemory, String(maxDataKb), ...command];
  const env = { HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', TZ: 'UTC', PATH: '/usr/bin:/bin', DBUS_SESSION_BUS_ADDRESS: 'disabled:' };
  const child = spawnWithPipes(limited, { cwd: folder, env });
  let started = false;
  const ended = once(child, 'exit').then(([code, by]) => {
    const kind = started ? BrowserEnded : BrowserUnstartable;
    return new kind(`the browser ended (${by ?? code})`);
  });
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new BrowserEnded('the browser was aborted'));
  try {
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    const devtools = new DevTools(child.stdio[4] as Readable, child.stdio[3] as Writable);
    const begun = devtools.send('Browser.getVersion', {}).then(() => {
      started = true;
      return work(devtools);
    });
    return await Promise.race([begun, stopped.promise, ended.then((error) => Promise.reject(error))]);
  } finally {
    signal.removeEventListener('abort', stop);
    endGroup(child.pid);
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Starts a shell in its own process group. Its only open files are the pipes 3 and 4. */
function spawnWithPipes(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): ChildProcess {
  const nothing = openSync('/dev/null', 'r+');
  try {
    const stdio = onlyThese(['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], nothing);
    return spawn('/bin/sh', args, { ...options, detached: true, stdio });
  } finally {
    closeSync(nothing);
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** No name resolves and no proxy answers: a request that is not intercepted fails, also one to a numeric address. */
const noNetwork = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://nowhere.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
];
const noExtras = [
  '--block-new-web-contents',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-gpu',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--password-store=basic',
  '--renderer-process-limit=2',
  '--js-flags=--max-old-space-size=256',
];
const rendering = ['--force-color-profile=srgb', '--font-render-hinting=none', '--hide-scrollbars'];

/** The command line options of every browser. */
const browserOptions: readonly string[] = [...noNetwork, ...noExtras, ...rendering];

/** O_CLOEXEC of Linux, in the octal flags of /proc/PID/fdinfo. */
const closedOnExec = 0o2000000n;

/**
 * The `stdio` of a child that has these streams and no other open file. Node keeps from a child what Node opened
 * itself, not what was passed to this process: such descriptors are replaced by `nothing`, a descriptor of /dev/null.
 */
function onlyThese(streams: readonly ('ignore' | 'pipe')[], nothing: number): StdioOptions {
  const passedOn = descriptors().filter((fd) => fd >= streams.length && fd !== nothing && isPassedOn(fd));
  const length = Math.max(streams.length, ...passedOn.map((fd) => fd + 1));
  return Array.from({ length }, (_, fd) => streams[fd] ?? (passedOn.includes(fd) ? nothing : 'ignore'));
}

function descriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return []; // not Linux, where nothing but development runs
  }
}

function isPassedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (BigInt(`0o${flags}`) & closedOnExec) === 0n;
  } catch {
    return false; // closed meanwhile
  }
}
