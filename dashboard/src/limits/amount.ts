import { formatBytes } from '../components/content/format-bytes.ts';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const number = new Intl.NumberFormat(language);

/** The title of a limit, and the notation of its amounts. */
export const amountOf = (unit: string) =>
  unit.startsWith('bytes')
    ? { title: texts.limits.storedFiles, shown: formatBytes }
    : { title: `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`, shown: number.format };
