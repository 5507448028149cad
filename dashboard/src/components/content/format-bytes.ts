import { language } from '../../texts/language.ts';

const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const units = ['bytes', 'KB', 'MB', 'GB'];

/** Formats a size for people, in powers of 1024 as the API's refusals do: "14.2 KB". */
export function formatBytes(size: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, size)) / 10));
  return `${number.format(size / 1024 ** power)} ${power === 0 && size === 1 ? 'byte' : units[power]}`;
}
