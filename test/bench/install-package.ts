import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** The folder of a package that a bench alone needs: it is installed outside the workspace, when first asked for. */
export function installed(cache: string, name: string, version: string): string {
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
