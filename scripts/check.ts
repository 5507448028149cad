/** What the tools enforce: types, format and lint, import directions, dead code, and that committed documents are current. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);
const sources = ['packages', 'services', 'gateway', 'cli', 'dashboard'];

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['types agree (tsc)', bin('tsc'), '--noEmit'],
  ['types of the dashboard agree (tsc)', bin('tsc'), '--noEmit', '--project', 'dashboard'],
  ['format and lint (biome)', bin('biome'), 'check', '--error-on-warnings', '.'],
  ['imports follow the architecture (dependency-cruiser)', bin('depcruise'), '--config', '.dependency-cruiser.cjs', ...sources],
  ['nothing is dead (knip)', bin('knip'), '--no-progress'],
  ['docs/openapi.json is current', process.execPath, 'scripts/openapi.ts', '--check'],
  ['the minified tracker is current', process.execPath, 'scripts/tracker.ts', '--check'],
];

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
}

/** Runs every check, showing what a failed one has to say. */
export function runChecks(): CheckResult[] {
  return checks.map(([name, command, ...args]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    const passed = status === 0;
    console.log(`${passed ? '✓' : '✗'} ${name}`);
    if (!passed) console.log(`${stdout}${stderr}`);
    return { name, passed };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = runChecks().every(({ passed }) => passed) ? 0 : 1;
}
