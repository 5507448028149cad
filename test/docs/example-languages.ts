import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cacheFolder } from '@webkiln/dev-platform';

/** The folder of the webhook examples. */
export const examples = path.resolve(import.meta.dirname, '../../docs/examples/webhooks');

const npmOptions = ['--no-audit', '--no-fund', '--prefer-offline'];
const installTimeoutMs = 120_000;

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** The folder to run in. */
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** How to run an example in a language whose toolchain and published library this machine has. */
export interface Language {
  readonly name: string;
  readonly file: string;
  /** Runs once before the first `run`. */
  readonly build?: Command;
  readonly run: Command;
}

interface Languages {
  readonly available: readonly Language[];
  /** Names with the reason, for the output of the test run. */
  readonly missing: readonly string[];
}

/** TypeScript always, Python and Go if installed. What they download stays in the cache. */
export function availableLanguages(): Languages {
  const found = [
    typescript(process.versions.node, () => path.dirname(process.execPath)),
    typescript('22', () => nodeOf('22')),
    python(),
    go(),
  ];
  return {
    available: found.filter((language) => typeof language !== 'string'),
    missing: found.filter((language) => typeof language === 'string'),
  };
}

/** The steps that the first line of an example gives, run literally in an empty folder that holds only the example. */
function documented(
  name: string,
  file: string,
  { prepare = 'true', bin }: { prepare?: string; bin: (folder: string) => string },
): Language {
  const cwd = mkdtempSync(path.join(tmpdir(), 'webkiln-example-'));
  copyFileSync(path.join(examples, file), path.join(cwd, file));
  const [line = ''] = readFileSync(path.join(examples, file), 'utf8').split('\n');
  const { install, start } = /^\S+ (?<install>[^;]+); WEBHOOK_SECRET=\S+ PORT=\S+ (?<start>.+)$/.exec(line)?.groups ?? {};
  const env = { PATH: `${bin(cwd)}${path.delimiter}${process.env.PATH}`, npm_config_prefer_offline: 'true' };
  return {
    name,
    file,
    build: { program: 'sh', args: ['-ec', `${prepare}\n${install}`], cwd, env },
    run: { program: 'sh', args: ['-c', `exec ${start}`], cwd, env },
  };
}

const typescript = (version: string, bin: () => string): Language => documented(`TypeScript (Node ${version})`, 'verify.mts', { bin });

/** The folder of a Node's program. It is installed into the cache, once. */
function nodeOf(version: string): string {
  const home = path.join(cacheFolder(), `node-${version}`);
  const bin = path.join(home, 'node_modules/.bin');
  if (existsSync(home)) return bin;
  const draft = mkdtempSync(`${home}.draft-`);
  const failure = failureOf('npm', ['install', '--prefix', draft, ...npmOptions, `node@${version}`]);
  if (failure !== undefined) throw new Error(failure);
  if (!existsSync(home)) renameSync(draft, home);
  rmSync(draft, { recursive: true, force: true });
  return bin;
}

function python(): Language | string {
  const failure = failureOf('python3', ['-c', 'import ensurepip, venv']);
  if (failure !== undefined) return `Python (${failure})`;
  return documented('Python', 'verify.py', { prepare: 'python3 -m venv venv', bin: (folder) => path.join(folder, 'venv/bin') });
}

function go(): Language | string {
  const home = path.join(cacheFolder(), 'go');
  const env = { GOPATH: home, GOCACHE: path.join(home, 'build'), GOFLAGS: '-mod=readonly -modcacherw', GOTOOLCHAIN: 'local' };
  const failure = failureOf('go', ['mod', 'download'], env);
  if (failure !== undefined) return `Go (${failure})`;
  const digest = hash('sha256', readFileSync(path.join(examples, 'verify.go')));
  const program = path.join(home, `verify-${digest.slice(0, 16)}`);
  return {
    name: 'Go',
    file: 'verify.go',
    build: { program: 'go', args: ['build', '-o', program, 'verify.go'], cwd: examples, env },
    run: { program, args: [], cwd: examples },
  };
}

/** Runs a program; returns undefined if it succeeds, else the reason. */
function failureOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, {
    cwd: examples,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: installTimeoutMs,
  });
  if (error !== undefined) return `${program} does not run here: ${error.message}`;
  return status === 0 ? undefined : `${program} ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`;
}
