import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { DevTools } from './devtools.ts';

/** What one of its processes may write to (RLIMIT_DATA), in kilobytes: a page that wants more loses its process. */
const memoryMostKb = 512 * 1024;

/** No name leads anywhere, and no proxy either: what is not handed to the browser does not exist for it, numeric addresses included. */
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
const nothingElse = [
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
const looks = ['--force-color-profile=srgb', '--font-render-hinting=none', '--hide-scrollbars'];

/** Where the system lets us, it sees neither a network nor other processes (`unshare` of util-linux), whatever a page makes of it. */
const apart = `ulimit -d "$0" || exit
alone="unshare --map-current-user --net --pid --fork --kill-child --mount-proc"
if $alone true 2>/dev/null; then exec $alone "$@"; else exec "$@"; fi`;

interface Browser {
  readonly program: string;
  /** Whether its processes are to be shut in (user namespaces): the system must allow that, and root cannot. */
  readonly sandbox: boolean;
  /** Ends it before its time. */
  readonly signal: AbortSignal;
}

/** The browser did not do it: it was ended, or it ended itself. */
export class BrowserEnded extends Error {
  override readonly name: string = 'BrowserEnded';
}

/** It ended before it had done anything. */
export class BrowserUnstartable extends BrowserEnded {
  override readonly name = 'BrowserUnstartable';
}

/**
 * Starts a browser that knows nothing of us, not even our environment, and is in a process group and a folder of its own; ends all of it as
 * soon as `work` is through, or the signal comes. Throws `BrowserEnded` then, and when the browser ended before.
 */
export async function withBrowser<T>({ program, sandbox, signal }: Browser, work: (devtools: DevTools) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'preview-image-'));
  const options = ['--headless=new', '--remote-debugging-pipe', `--user-data-dir=${folder}`, ...noNetwork, ...nothingElse, ...looks];
  const args = sandbox ? options : [...options, '--no-sandbox'];
  const limited = ['-c', apart, String(memoryMostKb), program, ...args];
  const env = { HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', TZ: 'UTC', PATH: '/usr/bin:/bin', DBUS_SESSION_BUS_ADDRESS: 'disabled:' };
  const child = spawn('/bin/sh', limited, { cwd: folder, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  let started = false;
  const ended = once(child, 'exit').then(([code, by]) => {
    const kind = started ? BrowserEnded : BrowserUnstartable;
    return new kind(`the browser ended (${by ?? code})`);
  });
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new BrowserEnded('the browser took too long'));
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
    // It has ended by itself.
  }
}
