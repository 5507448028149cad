/**
 * Runs a TypeScript script of this repository under Node 24 with the packages of the lockfile. Downloads both first if
 * they are missing: `node scripts/with-toolchain.mjs scripts/start.ts [arguments]`. Needs only Node >= 20 and npm. Writes
 * only to node_modules and its cache (WEBKILN_CACHE), so it needs no root and leaves the system unchanged.
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
/** Node's cache of compiled code: saves a third of the CPU time of a process start. */
const compiled = path.join(root, 'node_modules/.cache/node');
const cache = path.resolve(process.env.WEBKILN_CACHE || path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'webkiln'));

class SetupError extends Error {}

/** The download folders of package managers. */
const folders = { XDG_CACHE_HOME: cache, XDG_DATA_HOME: cache, XDG_STATE_HOME: cache, npm_config_cache: path.join(cache, 'npm') };

/** Prints output only on failure: package managers print many warnings that do not matter here. */
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

/** Installs pnpm atomically, because two checkouts may do so at once. */
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

/** pnpm writes its copy of the lockfile last: if the two are equal, the installation is complete and current. */
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

/** Exits as the script does. The IPC channel tells the script when this process ends, however that happens. */
function execute(script, args) {
  const child = spawn(path.join(bin, 'node'), [script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, WEBKILN_CACHE: cache, NODE_COMPILE_CACHE: compiled, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    // A terminal sends its interrupt to both processes.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
  }
  if (process.env.npm_lifecycle_event !== undefined) {
    // A killed npm sends no signal; this process then gets another parent.
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && child.kill('SIGTERM'), 1_000).unref();
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
