import { defaultLanguage, type Language } from '@webkiln/contract';
import * as currencies from 'dinero.js/currencies';

/** ISO 4217. Currencies whose units are not decimal (MGA, MRU) are not taken. */
const decimals = new Map<string, number>(
  Object.values(currencies).flatMap(({ code, base, exponent }) => (base === 10 ? [[code, exponent] as const] : [])),
);

export const isCurrency = (code: string): boolean => decimals.has(code);

/** The number of decimals of a currency: 2 for USD, 0 for JPY, 3 for KWD. Throws for an unknown one. */
export function decimalsOf(currency: string): number {
  const found = decimals.get(currency);
  if (found === undefined) throw new TypeError(`${currency} is no currency of ISO 4217`);
  return found;
}

/** The amount in minor units, as 1990 for 19.9 USD; undefined if it is finer than the smallest unit. */
export function toMinor(amount: number, currency: string): number | undefined {
  const minor = roundedMinor(amount, currency);
  return toMajor(minor, currency) === amount ? minor : undefined;
}

/** The same, rounded: for a price that was set when another currency was the organization's. */
export const roundedMinor = (amount: number, currency: string): number => Math.round(amount * 10 ** decimalsOf(currency));

export const toMajor = (minor: number, currency: string): number => minor / 10 ** decimalsOf(currency);

/** A sum as people read it: "$19.90", "¥900". */
export function sumText(minor: number, currency: string, language: Language = defaultLanguage): string {
  const digits = decimalsOf(currency);
  const options = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language, options).format(toMajor(minor, currency));
}

/** `minor` × part ÷ whole, halves away from zero. Exact for every integer: the product may exceed 2^53. */
export function shareOf(minor: number, part: number, whole: number): number {
  if (minor < 0) return -shareOf(-minor, part, whole);
  const divisor = BigInt(whole);
  return Number((BigInt(minor) * BigInt(part) * 2n + divisor) / (divisor * 2n));
}

export interface Taxed {
  /** What is paid, in minor units. */
  readonly amount: number;
  /** The tax in it. */
  readonly tax: number;
}

/** A hundred percent at three decimals. */
const whole = 100_000;

/** A price with its tax. `rate` is in percent, with at most three decimals; null: without tax. */
export function withTax(price: number, rate: number | null, isIncluded: boolean): Taxed {
  const part = Math.round((rate ?? 0) * 1000);
  if (isIncluded) return { amount: price, tax: price - shareOf(price, whole, whole + part) };
  const tax = shareOf(price, part, whole);
  return { amount: price + tax, tax };
}
