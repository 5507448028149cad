/**
 * Runs a TypeScript script of this repository under Node 24 with the packages of the lockfile, and fetches both first where they
 * are missing: `node scripts/with-toolchain.mjs scripts/start.ts [arguments]`. It needs any Node >= 20 and npm, nothing else, and
 * keeps everything in node_modules and in a cache of its own (WEBKILN_CACHE): no root is needed and the system stays as it was.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileLocked } from './install-lock.mjs';

const PNPM_VERSION = '12.21.0';
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = path.join(root, 'node_modules/.bin');
const cache = path.resolve(process.env.WEBKILN_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'webkiln'));

class SetupError extends Error {}

/** Where package managers keep what they download. */
const folders = { XDG_CACHE_HOME: cache, XDG_DATA_HOME: cache, XDG_STATE_HOME: cache, npm_config_cache: path.join(cache, 'npm') };

/** Quiet while it goes well: package managers warn about much that is none of the reader's business. */
function run(command, args) {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...folders },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new SetupError(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new SetupError(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

function step(text, work) {
  const begin = Date.now();
  console.error(`${text} …`);
  work();
  console.error(`  done in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
}

function makeCache() {
  try {
    mkdirSync(path.join(cache, 'locks'), { recursive: true });
    rmSync(mkdtempSync(path.join(cache, 'probe-')), { recursive: true });
  } catch (error) {
    throw new SetupError(
      `Webkiln keeps what it downloads in ${cache}, which cannot be written (${error.code}). Set WEBKILN_CACHE to a folder that can.`,
    );
  }
}

/** The folder appears whole or not at all, also when two checkouts make it at once. */
function pnpm() {
  const folder = path.join(cache, `pnpm-${PNPM_VERSION}`);
  const program = path.join(folder, 'node_modules/.bin/pnpm');
  if (existsSync(program)) return program;
  const draft = mkdtempSync(`${folder}-`);
  try {
    run('npm', ['install', '--prefix', draft, '--no-audit', '--no-fund', `pnpm@${PNPM_VERSION}`]);
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}

/** pnpm's own copy of the lockfile is the last thing it writes: when they are equal the installation is complete and current. */
function isInstalled() {
  const [wanted, present] = ['pnpm-lock.yaml', 'node_modules/.pnpm/lock.yaml'].map((file) => path.join(root, file));
  return existsSync(path.join(bin, 'node')) && existsSync(present) && readFileSync(wanted).equals(readFileSync(present));
}

function install() {
  makeCache();
  const lock = path.join(cache, 'locks', createHash('sha256').update(root).digest('hex').slice(0, 16));
  whileLocked(lock, () => {
    if (isInstalled()) return;
    step('Installing packages and Node 24 (once)', () =>
      run(pnpm(), ['install', '--frozen-lockfile', '--config.confirm-modules-purge=false']),
    );
  });
}

/** The script's exit is ours; it hears of our end, however that comes, by the channel between us. */
function execute(script, args) {
  const child = spawn(path.join(bin, 'node'), [script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, WEBKILN_CACHE: cache, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    // A terminal sends its interrupt to both of us already.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    // A killed npm tells nobody; we get another parent then.
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && child.kill('SIGTERM'), 250).unref();
  }
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const [script, ...args] = process.argv.slice(2);
try {
  if (!isInstalled()) install();
  execute(path.resolve(root, script), args);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
}
