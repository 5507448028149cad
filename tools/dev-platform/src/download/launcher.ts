import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { libraryFolders } from './debian-packages.ts';

/**
 * Writes the script `run/<name>` in an unpacked folder. It executes `program` (relative to the folder) with the
 * folder's shared libraries and with `settings` as environment, in which `$here` is the folder. The folder can
 * be moved.
 */
export async function writeLauncher(
  folder: string,
  name: string,
  program: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const libraries = libraryFolders(folder).map((library) => `$here/${path.relative(folder, library)}`);
  const assignments = Object.entries(settings).map(([variable, value]) => `export ${variable}="${value}"\n`);
  const script = `#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
${assignments.join('')}LD_LIBRARY_PATH="${libraries.join(':')}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/${program}" "$@"
`;
  await mkdir(path.join(folder, 'run'), { recursive: true });
  await writeFile(path.join(folder, 'run', name), script, { mode: 0o755 });
}
