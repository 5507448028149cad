import { hash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, stop } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../../../..');

/** What CommonJS libraries expect to find around them, given to modules. */
const commonJs = [
  "import { createRequire as requireFrom } from 'node:module';",
  'const require = requireFrom(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;',
].join('\n');

/**
 * Bundles each service with its imports into plain JavaScript, as in its image: a third less memory than TypeScript,
 * and half the start time. Returns the path to run by entry, relative to the repository. Dynamic imports stay separate
 * files.
 */
export async function bundle(entries: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const programs = new Map<string, string>();
  try {
    // One after the other: the bundler takes some hundred MB while it works.
    for (const entry of new Set(entries)) programs.set(entry, await bundleOne(entry));
  } finally {
    await stop();
  }
  return programs;
}

async function bundleOne(entry: string): Promise<string> {
  const home = path.resolve(root, path.dirname(entry), '../node_modules/.cache/webkiln');
  const { outputFiles } = await build({
    entryPoints: [path.join(root, entry)],
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minifyWhitespace: true,
    banner: { js: commonJs },
    outdir: home,
    write: false,
    logLevel: 'error',
  });
  const digest = hash('sha256', outputFiles.map((file) => file.hash).join());
  const folder = path.join(home, digest.slice(0, 16));
  if (!existsSync(folder)) await writeAll(folder, outputFiles);
  return path.join(folder, 'main.js');
}

/** All or nothing: other platforms may start from the same folder at this moment. */
async function writeAll(folder: string, files: readonly { path: string; contents: Uint8Array }[]): Promise<void> {
  const unfinished = `${folder}.${randomUUID()}`;
  await mkdir(unfinished, { recursive: true });
  await Promise.all(files.map((file) => writeFile(path.join(unfinished, path.basename(file.path)), file.contents)));
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
}
