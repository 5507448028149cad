import { texts } from '../texts.ts';

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const sizes = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** What a limit counts, as a title, and how an amount of it is written. Sizes are powers of 1024, as in refusals. */
export const amountOf = (unit: string) =>
  unit.startsWith('bytes')
    ? { title: texts.limits.storedFiles, shown: size }
    : { title: `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`, shown: number.format };

function size(bytes: number): string {
  const power = Math.min(sizes.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${number.format(bytes / 1024 ** power)} ${sizes[power]}`;
}
