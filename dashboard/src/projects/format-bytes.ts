const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Formats a size in bytes for people: "14 kB". */
export function formatBytes(size: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  const options = {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat('en', options).format(size / 1000 ** power);
}
