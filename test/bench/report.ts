export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** Name, measured value and target value (empty if it is only for information). */
export type Figure = readonly [name: string, measured: number, wanted: string];

/** A Markdown table. */
export const figureTable = (figures: readonly Figure[]): string =>
  [
    '| figure | measured | target |',
    '|---|---|---|',
    ...figures.map(([name, measured, wanted]) => `| ${name} | ${measured.toFixed(2)} | ${wanted} |`),
  ].join('\n');
