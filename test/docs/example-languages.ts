import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '@webkiln/dev-platform';

/** The folder of the webhook examples. */
export const examples = path.resolve(import.meta.dirname, '../../docs/examples/webhooks');

const pythonLibrary = 'standardwebhooks==1.1.0';
const installTimeoutMs = 120_000;

interface Command {
  readonly program: string;
  readonly args: readonly string[];
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

/** TypeScript always, Python and Go if installed. Their libraries are downloaded once and stay in the cache. */
export function availableLanguages(): Languages {
  const found = [typescript, python, go].map((language) => language());
  return {
    available: found.filter((language) => typeof language !== 'string'),
    missing: found.filter((language) => typeof language === 'string'),
  };
}

const typescript = (): Language => ({
  name: 'TypeScript',
  file: 'verify.ts',
  run: { program: process.execPath, args: [path.join(examples, 'verify.ts')] },
});

function python(): Language | string {
  const library = path.join(cacheFolder(), `python-${pythonLibrary.replace('==', '-')}`);
  const failure = failureOf('python3', ['--version']) ?? (existsSync(library) ? undefined : installPythonLibrary(library));
  if (failure !== undefined) return `Python (${failure})`;
  return {
    name: 'Python',
    file: 'verify.py',
    run: { program: 'python3', args: [path.join(examples, 'verify.py')], env: { PYTHONPATH: library } },
  };
}

/** Installs into a temporary folder and renames it, so that an existing folder is complete. Returns why it failed. */
function installPythonLibrary(folder: string): string | undefined {
  mkdirSync(path.dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.draft-`);
  const failure = failureOf('python3', ['-m', 'pip', 'install', '--quiet', '--target', draft, pythonLibrary]);
  if (failure === undefined && !existsSync(folder)) renameSync(draft, folder);
  rmSync(draft, { recursive: true, force: true });
  return failure;
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
    build: { program: 'go', args: ['build', '-o', program, 'verify.go'], env },
    run: { program, args: [] },
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
