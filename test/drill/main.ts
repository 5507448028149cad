/** `npm run drill`: everything promised, tried in full; ends with a table and exit code 1 when a promise did not hold. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Outcome } from '../faults/runs/outcome.ts';
import { promises } from './promises.ts';

const help = `npm run drill -- [--only NAME]… [--scale N]

Tries what the platform promises, each promise on a platform of its own, and prints what came of it.

  --only NAME   just this one; may be repeated
  --scale N     N times the full counts, at least once each (default 1: an hour or more)

${promises.map(({ name, promise }) => `  ${name.padEnd(22)}${promise}`).join('\n')}

FAULT_SEED=N repeats the choices of an earlier run.`;

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, scale: { type: 'string', default: '1' }, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(help);
  process.exit();
}
const unknown = (values.only ?? []).filter((name) => !promises.some((each) => each.name === name));
if (unknown.length > 0 || !(Number(values.scale) > 0)) {
  console.error(unknown.length > 0 ? `There is no ${unknown.join(', ')}: see --help.` : '--scale takes a number above 0.');
  process.exit(2);
}

const rows: string[] = [];
for (const { name, promise } of promises.filter(({ name }) => values.only?.includes(name) ?? true)) {
  console.log(`${name}: ${promise} …`);
  const outcome = keep(name);
  const held = outcome.failures.length === 0;
  for (const failure of outcome.failures) console.log(`  ✗ ${failure}`);
  console.log(`  ${held ? '✓' : '✗'} ${outcome.figure}`);
  rows.push(`| ${promise} | ${outcome.tries} | ${outcome.seed} | ${outcome.figure} | ${held ? 'yes' : 'NO'} |`);
  if (!held) process.exitCode = 1;
}
console.log(['\n| promise | tries | seed | figure | held |', '|---|---|---|---|---|', ...rows].join('\n'));

/** A process of its own for each: a platform's peers are a process's. */
function keep(name: string): Outcome {
  const file = path.join(import.meta.dirname, 'keep-promise.ts');
  const { status, stdout } = spawnSync(process.execPath, [file, name, values.scale], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return { seed: 0, tries: 0, figure: 'the run itself failed', failures: [`it ended with status ${status}`] };
}
