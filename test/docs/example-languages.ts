import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '@webkiln/dev-platform';

/** The folder of the webhook examples. */
export const examples = path.resolve(import.meta.dirname, '../../examples/webhooks');

const npmOptions = ['--no-audit', '--no-fund', '--prefer-offline'];
const installTimeoutMs = 120_000;

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** The folder to run in. */
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** How to run an example in a language whose toolchain and published library this machine has. */
export interface Language {
  readonly name: string;
  /** Runs once before the first `run`. */
  readonly build?: Command;
  readonly run: Command;
}

interface Languages {
  readonly available: readonly Language[];
  /** Names with the reason, for the output of the test run. */
  readonly missing: readonly string[];
}

/** TypeScript always, Go if installed. What they download stays in the cache. */
export function availableLanguages(): Languages {
  const found = [typescript(process.versions.node, process.execPath), typescript('22', nodeOf('22')), go()];
  return {
    available: found.filter((language) => typeof language !== 'string'),
    missing: found.filter((language) => typeof language === 'string'),
  };
}

const typescript = (version: string, program: string): Language => ({
  name: `TypeScript (Node ${version})`,
  run: { program, args: ['verify.mts'], cwd: examples },
});

/** The program of a Node. It is installed into the cache, once. */
function nodeOf(version: string): string {
  const home = path.join(cacheFolder(), `node-${version}`);
  const program = path.join(home, 'node_modules/.bin/node');
  if (existsSync(home)) return program;
  const draft = mkdtempSync(`${home}.draft-`);
  const failure = failureOf('npm', ['install', '--prefix', draft, ...npmOptions, `node@${version}`]);
  if (failure !== undefined) throw new Error(failure);
  if (!existsSync(home)) renameSync(draft, home);
  rmSync(draft, { recursive: true, force: true });
  return program;
}

function go(): Language | string {
  const home = path.join(cacheFolder(), 'go');
  const env = { GOPATH: home, GOCACHE: path.join(home, 'build'), GOFLAGS: '-mod=readonly -modcacherw -trimpath' };
  Object.assign(env, { CGO_ENABLED: '0', GOTOOLCHAIN: 'local' });
  const failure = failureOf('go', ['mod', 'download'], env);
  if (failure !== undefined) return `Go (${failure})`;
  const digest = hash('sha256', readFileSync(path.join(examples, 'verify.go')));
  const program = path.join(home, `verify-${digest.slice(0, 16)}`);
  return {
    name: 'Go',
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
