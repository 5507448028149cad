/**
 * `npm test`: every check and every test. `npm test -- --shard=1/3`: the first third of both, for three machines.
 * `npm test -- <arguments of jest>`: those tests alone. The last line is "N passed, N failed", a check counting as one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { releasedPrograms } from '../test/faults/runs/outages/released-programs.ts';
import {
  actionlint,
  chromium,
  composeSpec,
  helm,
  promtool,
  restic,
  s3Server,
  stripeMock,
  supplyDownload,
  supplyProgram,
  terminalReport,
} from '../tools/dev-platform/src/index.ts';
import { runChecks } from './check.ts';

const shown = 20;
/** Workers of jest collect what earlier suites left once they have this much, not again and again while it grows. */
const heapMb = Math.floor(Math.min(1024, totalmem() / 2 ** 20 / 24));
const root = path.resolve(import.meta.dirname, '..');
/** Runs a script; resolves with its exit code. */
async function node(...args: string[]): Promise<number | null> {
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  return code;
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

async function checks(): Promise<Tally> {
  const results = await runChecks();
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: results.length - passed };
}

interface Suite {
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number;
}

/** A whole run has a time limit: this shows where it goes. */
function showSlowest(suites: readonly Suite[]): void {
  const seconds = ({ startTime, endTime }: Suite) => Math.round((endTime - startTime) / 1000);
  const slowest = suites.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, shown);
  console.log('The slowest suites, in seconds:');
  for (const suite of slowest) console.log(`${String(seconds(suite)).padStart(5)}  ${path.relative(root, suite.name)}`);
}

/** A file that cannot even be loaded counts as one failure, as does a run that jest did not finish. */
async function tests(args: readonly string[]): Promise<Tally> {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-jest-'));
  const file = path.join(folder, 'results.json');
  try {
    const status = await node(
      `--initial-old-space-size=${heapMb}`,
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${file}`,
      ...args,
    );
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(readFileSync(file, 'utf8'));
    showSlowest(testResults);
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return { passed: numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed };
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * It lets no request fail while two of each process restart in turn, which holds on a machine that keeps up: it runs
 * last, with nothing beside it.
 */
const alone = 'test/faults/rolling.test.ts';

/**
 * Programs that a new machine compiles or fetches once, for minutes: ready before the first test, so that no test has
 * their time in its own, nor their load beside it.
 */
async function supplyPrograms(): Promise<void> {
  for (const program of [chromium, promtool, restic, s3Server, helm, composeSpec, actionlint]) await supplyProgram(program, terminalReport);
  await supplyDownload(stripeMock, terminalReport);
}

/**
 * One of `count` equal parts of all checks and tests; the first has the checks, the last what runs alone. The checks
 * run beside the first suites, of which several mostly wait.
 */
async function part(index: number, count: number): Promise<Tally[]> {
  await supplyPrograms();
  const ignored = ['/node_modules/', alone].flatMap((pattern) => ['--testPathIgnorePatterns', pattern]);
  // What runs alone needs them. If they cannot be made, it says why.
  const released = index === count ? releasedPrograms().catch(() => undefined) : undefined;
  const together = await Promise.all([...(index === 1 ? [checks()] : []), tests([...ignored, `--shard=${index}/${count}`])]);
  await released;
  return index === count ? [...together, await tests(['--runInBand', alone])] : together;
}

/** The tracked and new files that have this text. */
function filesWith(text: string, pattern: string): string[] {
  const found = spawnSync('git', ['grep', '--untracked', '-lFe', text, '--', pattern], { cwd: root, encoding: 'utf8' });
  return found.stdout.split('\n').filter((file) => file !== '');
}

/**
 * The suites that may have a test of this name, of which jest would load all: those that have the words, and for an API
 * operation those with a test of each. Empty for a pattern.
 */
function suitesNaming(name: string): string[] {
  if (!/^[\w ,'"/-]+$/.test(name)) return [];
  const isOperation = filesWith(`export const ${name} = defineOperation(`, 'packages/contract/*').length > 0;
  return [name, ...(isOperation ? ['Object.entries(operations)'] : [])].flatMap((text) => filesWith(text, '*.test.ts'));
}

const given = process.argv.slice(2);
const [flag, name] = given;
const args = flag === '-t' && name !== undefined && given.length === 2 ? [...given, ...suitesNaming(name)] : given;
const shard = /^--shard=(\d+)\/(\d+)$/.exec(args.join(' '));
await node('scripts/generate.ts', '--types');
const tallies = args.length === 0 || shard !== null ? await part(Number(shard?.[1] ?? 1), Number(shard?.[2] ?? 1)) : [await tests(args)];
const [passed, failed] = (['passed', 'failed'] as const).map((kind) => tallies.reduce((sum, tally) => sum + tally[kind], 0));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
