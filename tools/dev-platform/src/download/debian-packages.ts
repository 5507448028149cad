import { globSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { cached } from './cache.ts';
import { runCommand } from './run-command.ts';

interface AptPackage {
  name: string;
  version: string;
}

/** Excluded: a second C library, which does not match the system's loader, breaks every program. */
const systemPackages = /^(libc6|libc-bin)(:|$)/;

/**
 * Unpacks Debian packages and their missing dependencies into `folder`. Installs nothing and needs no root: apt only
 * lists and downloads the packages.
 */
export async function unpackDebianPackages(names: readonly string[], folder: string): Promise<void> {
  try {
    await unpack(names, folder, []);
  } catch {
    // The system's package lists are empty or older than its mirror, and only root may renew those.
    await unpack(names, folder, await ownPackageLists());
  }
}

/** Folders of unpacked packages that hold shared libraries, for LD_LIBRARY_PATH. */
export function libraryFolders(folder: string): string[] {
  const libraries = globSync('{usr/lib,lib}/**/*.so*', { cwd: folder });
  return [...new Set(libraries.map((library) => path.join(folder, path.dirname(library))))];
}

async function unpack(names: readonly string[], folder: string, options: readonly string[]): Promise<void> {
  const missing = await missingPackages(names, options);
  const downloads = path.join(folder, 'downloads');
  await mkdir(downloads, { recursive: true });
  await runCommand('apt-get', [...options, 'download', ...missing.map(({ name, version }) => `${name}=${version}`)], { cwd: downloads });
  for (const file of await readdir(downloads)) await runCommand('dpkg-deb', ['-x', path.join(downloads, file), folder]);
  await rm(downloads, { recursive: true });
}

/** Lists the packages that apt would install. A simulation, so it needs no root. */
async function missingPackages(names: readonly string[], options: readonly string[]): Promise<AptPackage[]> {
  const simulation = await runCommand('apt-get', [...options, '--simulate', '--no-install-recommends', 'install', ...names]);
  const lines = simulation.matchAll(/^Inst (?<name>\S+) (?:\[[^\]]*\] )?\((?<version>\S+)/gm);
  const packages = Array.from(lines, ({ groups }) => ({ name: groups?.name ?? '', version: groups?.version ?? '' }));
  return packages.filter(({ name }) => !systemPackages.test(name));
}

/** Options that make apt use separate package lists, which are kept in the cache and updated daily. */
async function ownPackageLists(): Promise<string[]> {
  const [today] = new Date().toISOString().split('T');
  const folder = await cached(`apt-${today}`, async (draft) => {
    await mkdir(path.join(draft, 'lists/partial'), { recursive: true });
    await mkdir(path.join(draft, 'archives/partial'), { recursive: true });
    await runCommand('apt-get', [...within(draft), 'update']);
  });
  return within(folder);
}

/** Keeps the lists compressed and without apt's index of them: 10 MB instead of 160. */
const within = (folder: string) => {
  const settings = [`Dir::State::lists=${folder}/lists`, `Dir::Cache=${folder}`, 'Dir::Cache::pkgcache=', 'Dir::Cache::srcpkgcache='];
  return [...settings, 'Acquire::GzipIndexes=true', 'APT::Sandbox::User='].flatMap((setting) => ['-o', setting]);
};
