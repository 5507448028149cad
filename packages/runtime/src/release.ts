import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gauge } from './metrics.ts';

/** The version of the program that runs: that of the nearest package.json above it which has one. */
export function version(): string {
  for (let folder = path.dirname(process.argv[1] ?? ''); ; folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json');
    const stated = existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string }).version : undefined;
    if (stated !== undefined) return stated;
    if (folder === path.dirname(folder)) return 'unknown';
  }
}

/** Shows in the metrics which release this process is of. */
export function showRelease(): void {
  const info = gauge({ name: 'webkiln_build_info', help: 'Always 1; the label has the release of this process', labelNames: ['version'] });
  info.set({ version: version() }, 1);
}
