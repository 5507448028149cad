import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { cached } from '../download/cache.ts';
import { type Python, pythonOfDebian, pythonOnPath } from '../download/python.ts';
import { runCommand } from '../download/run-command.ts';
import { type Report, reportDuration } from '../report.ts';
import { firstAvailable } from './supply.ts';

/** A Python that imports the packages of a requirements file. */
export interface PythonWithPackages {
  readonly program: string;
  /** The variables that it needs besides those of this process. */
  readonly env: NodeJS.ProcessEnv;
}

const title = 'Python 3.10 or newer';

/**
 * Returns a Python with the packages of a requirements file, which has the version and hashes of each. They are
 * installed once into the cache, for each content of the file and each version of Python. A folder on Python's path
 * instead of a virtual environment: it can be moved, so it appears complete or not at all, and needs no `ensurepip`.
 * Throws `DependencyMissing` without a Python.
 */
export async function pythonWith(requirements: string, report: Report): Promise<PythonWithPackages> {
  const python = await firstAvailable({ title }, [
    { advice: `install python3 3.10 or newer on the PATH`, find: () => newEnough(pythonOnPath()) },
    { advice: 'let it be fetched as Debian packages', find: () => newEnough(pythonOfDebian()) },
  ]);
  const env = { ...process.env, ...python.env };
  const digest = createHash('sha256').update(await readFile(requirements));
  const packages = await cached(`python-${python.version}-${digest.digest('hex').slice(0, 16)}`, (draft) => {
    // Modules are compiled when they are first imported: most never are.
    const rules = ['--quiet', '--no-deps', '--no-compile', '--require-hashes', '--only-binary=:all:'];
    const install = ['install', ...rules, '--target', draft, '-r', requirements];
    return reportDuration(report, 'Python', 'installing packages (once)', async () => {
      await runCommand(python.program, [...python.pip, ...install], { env });
    });
  });
  return { program: python.program, env: { ...python.env, PYTHONPATH: packages } };
}

async function newEnough(found: Promise<Python>): Promise<Python & { version: string }> {
  const python = await found;
  const ask = ['-c', 'import sys; print(*sys.version_info[:2], sep=".")'];
  const version = (await runCommand(python.program, ask, { env: { ...process.env, ...python.env } })).trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < 10)) throw new Error(`${python.program} is ${version}`);
  return { ...python, version };
}
