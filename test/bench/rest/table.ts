import { median } from '../report.ts';
import type { Measurement } from './load.ts';

/**
 * The ratio of two targets' requests/s: the median of the ratios per round, so that drift of the machine cancels out.
 */
export const ratio = (of: readonly Measurement[], to: readonly Measurement[]): number =>
  median(of.map(({ requestsPerSecond }, round) => requestsPerSecond / (to[round]?.requestsPerSecond ?? Number.NaN)));

/** A Markdown table of medians. Ratios refer to the row `baseline`. */
export function table(rows: ReadonlyMap<string, readonly Measurement[]>, baseline: string): string {
  const base = rows.get(baseline) ?? [];
  const lines = [...rows].map(([name, rounds]) => {
    const of = (pick: (measurement: Measurement) => number, digits = 0) => median(rounds.map(pick)).toFixed(digits);
    const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
    return `| ${name} | ${of((m) => m.requestsPerSecond)} | ${ratio(rounds, base).toFixed(2)} | ${of((m) => m.p50Ms, 1)} | ${of((m) => m.p99Ms, 1)} | ${of((m) => m.ownCpuMicros)} | ${failures} |`;
  });
  return [
    `| target | req/s | ratio to ${baseline} | p50 ms | p99 ms | own CPU µs/req | failures |`,
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
