/** Builds and packs the packages that are published: `@webkiln/sdk` and `webkiln` for npm, and `webkiln` for Python. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { pythonWith, terminalReport } from '../../tools/dev-platform/src/index.ts';

const usage = `node scripts/with-toolchain.mjs scripts/release/pack-packages.ts [options]

Packs @webkiln/sdk and webkiln for npm, and a wheel and a source distribution of webkiln for Python.

  --out FOLDER   gets the archives (default: dist/release/packages)
  --publish      publishes them: npm and twine take their credentials from the environment; what is published already stays`;

const root = path.resolve(import.meta.dirname, '../..');
const published = ['sdk/typescript', 'sdk/cli'];

/** Returns the archives for npm. scripts/generate.ts must have run. */
export function packPackages(folder: string): string[] {
  const cache = process.env.WEBKILN_CACHE ?? '';
  // The one that with-toolchain.mjs has installed the packages with.
  const [pnpm = ''] = globSync('pnpm-*/node_modules/.bin/pnpm', { cwd: cache });
  const out = path.resolve(folder);
  for (const part of published) {
    const cwd = path.join(root, part);
    rmSync(path.join(cwd, 'dist'), { recursive: true, force: true });
    execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.build.json'], { cwd, stdio: 'inherit' });
    execFileSync(path.join(cache, pnpm), ['pack', '--pack-destination', out], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return globSync('*.tgz', { cwd: out }).map((name) => path.join(out, name));
}

async function packPython(folder: string): Promise<string[]> {
  const python = await pythonWith(path.join(root, 'test/python/requirements.txt'), terminalReport);
  const options = { cwd: path.join(root, 'sdk/python'), env: { ...process.env, ...python.env } };
  execFileSync(python.program, ['-m', 'hatchling', 'build', '--directory', path.resolve(folder)], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return globSync('webkiln-*.{whl,tar.gz}', { cwd: folder }).map((name) => path.join(folder, name));
}

async function release(): Promise<void> {
  const options = {
    out: { type: 'string', default: 'dist/release/packages' },
    publish: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  const { out, publish, help } = parseArgs({ options }).values;
  if (help) return console.log(usage);
  mkdirSync(out, { recursive: true });
  const npm = packPackages(out);
  const python = await packPython(out);
  console.log([...npm, ...python].join('\n'));
  if (!publish) return;
  for (const archive of npm) execFileSync('npm', ['publish', archive, '--access', 'public', '--provenance'], { stdio: 'inherit' });
  execFileSync('twine', ['upload', '--skip-existing', ...python], { stdio: 'inherit' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) void release();
