/** `npm run drill`: tests every guarantee in full. Ends with a table, and with exit code 1 if one did not hold. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { nuisances } from '../faults/runs/neighbours/nuisances/index.ts';
import type { Outcome } from '../faults/runs/outcome.ts';
import { guarantees } from './guarantees.ts';

const help = `npm run drill -- [GROUP]… [--only NAME]… [--scale N]

Tests the platform's guarantees, each on its own platform, and prints the results.

  GROUP         run those whose names begin with it, such as neighbours
  --only NAME   run only this one; may be repeated
  --scale N     multiply the full counts by N; each count is at least 1 (default 1: an hour or more)

Of neighbours, on a machine where nothing else runs (15 minutes):

  --nuisance NAME   only this one; may be repeated: ${nuisances.map(({ name }) => name).join(', ')}
  --seconds N       how long each one lasts (default 60)
  --without-bounds  switch the bound of each one off by settings, and expect harm

${guarantees.map(({ name, guarantee }) => `  ${name.padEnd(25)}${guarantee}`).join('\n')}

FAULT_SEED=N repeats the random choices of an earlier run.`;

const ofNeighbours = {
  nuisance: { type: 'string', multiple: true },
  seconds: { type: 'string', default: '60' },
  'without-bounds': { type: 'boolean', default: false },
} as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    scale: { type: 'string', default: '1' },
    ...ofNeighbours,
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(help);
  process.exit();
}
const named = (name: string) => guarantees.filter((each) => each.name === name);
const ofGroup = (group: string) => guarantees.filter(({ name }) => name === group || name.startsWith(`${group}-`));
const asked = new Map([
  ...(values.only ?? []).map((name) => [name, named(name)] as const),
  ...positionals.map((group) => [group, ofGroup(group)] as const),
]);
const { nuisance = [], seconds, 'without-bounds': withoutBounds } = values;
const unknown = [
  ...[...asked.keys()].filter((name) => asked.get(name)?.length === 0),
  ...nuisance.filter((name) => !nuisances.some((each) => each.name === name)),
];
if (unknown.length > 0) stop(`unknown: ${unknown.join(', ')}; see --help`);
if (!(Number(values.scale) > 0 && Number(seconds) > 0)) stop('--scale and --seconds must be numbers above 0');
const chosen = asked.size === 0 ? guarantees : [...new Set([...asked.values()].flat())];

const rows: string[] = [];
const tables: string[] = [];
for (const { name, guarantee } of chosen) {
  console.log(`${name}: ${guarantee} …`);
  const outcome = runInOwnProcess(name);
  const held = outcome.failures.length === 0;
  for (const failure of outcome.failures) console.log(`  ✗ ${failure}`);
  console.log(`  ${held ? '✓' : '✗'} ${outcome.figure}`);
  rows.push(`| ${guarantee} | ${outcome.tries} | ${outcome.seed} | ${outcome.figure} | ${held ? 'yes' : 'NO'} |`);
  if (outcome.table !== undefined) tables.push('', ...outcome.table);
  if (!held) process.exitCode = 1;
}
console.log(['\n| guarantee | tries | seed | figure | held |', '|---|---|---|---|---|', ...rows, ...tables].join('\n'));

/** Each guarantee runs in its own process, because RPC peers are per process. */
function runInOwnProcess(name: string): Outcome {
  const options = JSON.stringify({ nuisance, seconds: Number(seconds), withoutBounds });
  const file = path.join(import.meta.dirname, 'run-guarantee.ts');
  const { status, stdout } = spawnSync(process.execPath, [file, name, values.scale, options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return { seed: 0, tries: 0, figure: 'the run failed', failures: [`the process exited with status ${status}`] };
}

function stop(reason: string): never {
  console.error(reason);
  process.exit(2);
}
