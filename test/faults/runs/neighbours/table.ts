import { kinds } from './latencies.ts';
import type { Measured } from './live-beside.ts';
import type { Nuisance } from './nuisance.ts';

const head = [
  `| a neighbour lives while … | it did | ${kinds.map((kind) => `p99 ${kind}, ms`).join(' | ')} | most grown | back after | webhooks, mails, pages, sign-ins |`,
  `|${'---|'.repeat(kinds.length + 5)}`,
];

/** A Markdown table of what nuisances did to a neighbour. Times are "beside (alone, ratio)". */
export const measuredTable = (rows: readonly (readonly [Nuisance, Measured])[]): string[] => [...head, ...rows.map(rowOf)];

function rowOf([{ name, what }, { alone, life, did, grown, backAfterS }]: readonly [Nuisance, Measured]): string {
  const times = kinds.map((kind) => {
    const [before, beside] = [alone[kind], life.latencies[kind]];
    return `${beside.toFixed(0)} (${before.toFixed(0)}, ${(beside / before).toFixed(1)}×)`;
  });
  const back = backAfterS === undefined ? 'NOT within 60 s' : `${backAfterS} s`;
  return `| ${what} (\`${name}\`) | ${did} | ${times.join(' | ')} | ${grown.name} +${grown.mb} MB | ${back} | ${life.arrived} |`;
}

/** A Markdown table of which nuisances hurt once their bounds are switched off. */
export const unboundedTable = (rows: readonly (readonly [Nuisance, readonly string[] | undefined])[]): string[] => [
  '| nuisance | its bound is switched off by | fails without its bound | how |',
  '|---|---|---|---|',
  ...rows.map(([{ name, unbounded }, failures]) => {
    const settings = typeof unbounded === 'string' ? unbounded : Object.keys(unbounded).join(', ');
    const fails = failures === undefined ? 'no setting' : failures.length > 0 ? 'yes' : 'no';
    return `| ${name} | ${settings} | ${fails} | ${failures?.slice(0, 2).join('; ') ?? ''} |`;
  }),
];
