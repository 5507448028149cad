import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** Installs a package that only a benchmark needs outside the workspace, once. Returns its folder. */
export function installPackage(cache: string, name: string, version: string): string {
  const home = path.join(cache, `${name}-${version}`);
  const folder = path.join(home, 'node_modules', name);
  if (!existsSync(folder)) {
    mkdirSync(home, { recursive: true });
    execFileSync('npm', ['install', '--prefix', home, '--silent', '--no-audit', '--no-fund', `${name}@${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return folder;
}
