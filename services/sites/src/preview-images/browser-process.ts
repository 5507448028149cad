import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevTools } from './devtools.ts';

/** Data size limit of each browser process (RLIMIT_DATA), in kilobytes. A process that exceeds it ends. */
const maxDataKb = 512 * 1024;

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

/** Runs the browser in its own network and process namespaces (`unshare` of util-linux) if the system allows it. */
const isolate = `ulimit -d "$0" || exit
alone="unshare --map-current-user --net --pid --fork --kill-child --mount-proc"
if $alone true 2>/dev/null; then exec $alone "$@"; else exec "$@"; fi`;

interface Browser {
  readonly program: string;
  /** Chromium's own sandbox (user namespaces). The system must allow it; root cannot use it. */
  readonly sandbox: boolean;
  /** Ends the browser early. */
  readonly signal: AbortSignal;
}

/** The browser ended, or was ended, before the work was done. */
export class BrowserEnded extends Error {
  override readonly name: string = 'BrowserEnded';
}

/** The browser ended before it answered its first command. */
export class BrowserUnstartable extends BrowserEnded {
  override readonly name = 'BrowserUnstartable';
}

/**
 * Starts a browser without our environment, in its own process group and folder, and kills all of it when `work` ends
 * or the signal aborts. Throws `BrowserEnded` if the signal aborts or the browser ends first.
 */
export async function withBrowser<T>({ program, sandbox, signal }: Browser, work: (devtools: DevTools) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'preview-image-'));
  const options = ['--headless=new', '--remote-debugging-pipe', `--user-data-dir=${folder}`, ...noNetwork, ...noExtras, ...rendering];
  const args = sandbox ? options : [...options, '--no-sandbox'];
  const limited = ['-c', isolate, String(maxDataKb), program, ...args];
  const env = { HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', TZ: 'UTC', PATH: '/usr/bin:/bin', DBUS_SESSION_BUS_ADDRESS: 'disabled:' };
  const child = spawn('/bin/sh', limited, { cwd: folder, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
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

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
