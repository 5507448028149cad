/** Runs all static checks: types, format, lint, import directions, dead code, and current documents. */
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);
const sources = ['packages', 'tools', 'services', 'gateway', 'cli', 'dashboard', 'docs-site', 'sdk'];

/** tsc has four checkers by default, which repeat some of each other's work: two thirds more CPU time. */
const alone = ['--checkers', '1'];

const checks: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['types agree (tsc)', bin('tsc'), '--noEmit', ...alone],
  ['types of the dashboard agree (tsc)', bin('tsc'), '--noEmit', '--project', 'dashboard'],
  ['types of the docs site agree (tsc)', bin('tsc'), '--noEmit', '--project', 'docs-site'],
  ['format and lint (biome)', bin('biome'), 'check', '--error-on-warnings', '.'],
  ['imports follow the architecture (dependency-cruiser)', bin('depcruise'), '--config', '.dependency-cruiser.cjs', ...sources],
  ['nothing is dead (knip)', bin('knip'), '--no-progress'],
  ['documents of the contract are current', process.execPath, 'scripts/contract-documents.ts', '--check'],
  ['protos are compatible with the last commit', process.execPath, 'scripts/proto-compatibility.ts'],
  ['comments and names follow STYLE.md', process.execPath, 'scripts/checks/language.ts'],
  ['links of documents lead somewhere, and packages have a README', process.execPath, 'scripts/checks/links.ts'],
  ['expressions take linear time (recheck)', process.execPath, 'scripts/checks/expressions.ts'],
  ['texts are complete in every language, and used', process.execPath, 'scripts/texts.ts', '--check'],
  ['the minified tracker is current', process.execPath, 'scripts/tracker.ts', '--check'],
];

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
}

async function run([name, command, ...args]: (typeof checks)[number]): Promise<CheckResult> {
  let output = '';
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const passed = await new Promise<boolean>((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code === 0)));
  console.log(`${passed ? '✓' : '✗'} ${name}`);
  if (!passed) console.log(output);
  return { name, passed };
}

/** Runs all checks, two at a time, and prints the output of those that fail. scripts/generate.ts must have run. */
export async function runChecks(): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const waiting = checks.values();
  const runner = async () => {
    for (const check of waiting) results.push(await run(check));
  };
  await Promise.all([runner(), runner()]);
  return results;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  execFileSync(process.execPath, ['scripts/generate.ts', '--types'], { cwd: root, stdio: 'inherit' });
  process.exitCode = (await runChecks()).every(({ passed }) => passed) ? 0 : 1;
}
