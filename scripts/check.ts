/** Runs all static checks: types, format, lint, import directions, dead code, and current documents. */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);
const sources = ['packages', 'tools', 'services', 'gateway', 'cli', 'dashboard'];

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['types agree (tsc)', bin('tsc'), '--noEmit'],
  ['types of the dashboard agree (tsc)', bin('tsc'), '--noEmit', '--project', 'dashboard'],
  ['format and lint (biome)', bin('biome'), 'check', '--error-on-warnings', '.'],
  ['imports follow the architecture (dependency-cruiser)', bin('depcruise'), '--config', '.dependency-cruiser.cjs', ...sources],
  ['nothing is dead (knip)', bin('knip'), '--no-progress'],
  ['documents of the contract are current', process.execPath, 'scripts/contract-documents.ts', '--check'],
  ['protos are compatible with the last commit', process.execPath, 'scripts/proto-compatibility.ts'],
  ['comments and names follow STYLE.md', process.execPath, 'scripts/check-language.ts'],
  ['expressions take linear time (recheck)', process.execPath, 'scripts/check-expressions.ts'],
  ['texts are complete in every language, and used', process.execPath, 'scripts/texts.ts', '--check'],
  ['the minified tracker is current', process.execPath, 'scripts/tracker.ts', '--check'],
];

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
}

/** Runs every check and prints the output of those that fail. scripts/generate.ts must have written the types. */
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
  execFileSync(process.execPath, ['scripts/generate.ts', '--types'], { cwd: root, stdio: 'inherit' });
  process.exitCode = runChecks().every(({ passed }) => passed) ? 0 : 1;
}
