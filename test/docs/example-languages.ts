import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '@webkiln/infra';

export const examples = path.resolve(import.meta.dirname, '../../docs/examples/webhooks');

const pythonLibrary = 'standardwebhooks==1.1.0';
const obtainWithinMs = 120_000;

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** How an example is run, if this machine has its language and can get the published library for it. */
export interface Language {
  readonly name: string;
  readonly file: string;
  /** What is to be done once before it can run. */
  readonly build?: Command;
  readonly run: Command;
}

interface Found {
  readonly here: readonly Language[];
  /** In words, for who reads the run's output. */
  readonly missing: readonly string[];
}

/** TypeScript always; Python and Go where they are. Libraries come from their registries once, and stay in the cache. */
export function languagesHere(): Found {
  const found = [typescript, python, go].map((language) => language());
  return {
    here: found.filter((language) => typeof language !== 'string'),
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
  const failure = succeeds('python3', ['--version']) ?? (existsSync(library) ? undefined : obtainPythonLibrary(library));
  if (failure !== undefined) return `Python (${failure})`;
  return {
    name: 'Python',
    file: 'verify.py',
    run: { program: 'python3', args: [path.join(examples, 'verify.py')], env: { PYTHONPATH: library } },
  };
}

/** The folder appears whole or not at all. */
function obtainPythonLibrary(folder: string): string | undefined {
  mkdirSync(path.dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.draft-`);
  const failure = succeeds('python3', ['-m', 'pip', 'install', '--quiet', '--target', draft, pythonLibrary]);
  if (failure === undefined && !existsSync(folder)) renameSync(draft, folder);
  rmSync(draft, { recursive: true, force: true });
  return failure;
}

function go(): Language | string {
  const home = path.join(cacheFolder(), 'go');
  const env = { GOPATH: home, GOCACHE: path.join(home, 'build'), GOFLAGS: '-mod=readonly -modcacherw', GOTOOLCHAIN: 'local' };
  const failure = succeeds('go', ['mod', 'download'], env);
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

/** Undefined when it does, else why not. */
function succeeds(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, {
    cwd: examples,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: obtainWithinMs,
  });
  if (error !== undefined) return `${program} does not run here: ${error.message}`;
  return status === 0 ? undefined : `${program} ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`;
}
