export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** What it is, what was measured, what was wanted (empty: it is for information). */
export type Figure = readonly [name: string, measured: number, wanted: string];

/** A Markdown table. */
export const figureTable = (figures: readonly Figure[]): string =>
  [
    '| figure | measured | wanted |',
    '|---|---|---|',
    ...figures.map(([name, measured, wanted]) => `| ${name} | ${measured.toFixed(2)} | ${wanted} |`),
  ].join('\n');
