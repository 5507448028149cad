/**
 * Builds the packages that are published, `@webkiln/sdk` and `webkiln`, and packs them:
 * `node scripts/with-toolchain.mjs scripts/release/pack-packages.ts <folder>`. scripts/generate.ts must have run.
 */
import { execFileSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '../..');
const published = ['sdk/typescript', 'sdk/cli'];

/** Returns the archives. */
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(packPackages(process.argv[2] ?? '.').join('\n'));
