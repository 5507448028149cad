import { formatBytes } from '../components/content/format-bytes.ts';
import { texts } from '../texts.ts';

const number = new Intl.NumberFormat('en');

/** What a limit counts, as a title, and how an amount of it is written. */
export const amountOf = (unit: string) =>
  unit.startsWith('bytes')
    ? { title: texts.limits.storedFiles, shown: formatBytes }
    : { title: `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`, shown: number.format };
