import * as currencies from 'dinero.js/currencies';
import { language } from '../../texts/language.ts';

/** The decimals of each currency by ISO 4217, which browsers round away for some (HUF, IDR). */
const decimals = new Map<string, number>(
  Object.values(currencies).flatMap(({ code, base, exponent }) => (base === 10 ? [[code, exponent] as const] : [])),
);

const names = new Intl.DisplayNames(language, { type: 'currency' });

/** The currencies that the API takes, as options of a `Select`: "EUR – Euro". */
export const currencyOptions = [...decimals.keys()].toSorted().map((code) => ({ id: code, label: `${code} – ${names.of(code)}` }));

/** Formats a sum in major units: "$19.90", "HUF 1,200.50". `isShort` leaves out decimals that are all zero. */
export function formatMoney(amount: number, currency: string, { isShort = false } = {}): string {
  const digits = decimals.get(currency) ?? 2;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    trailingZeroDisplay: isShort ? 'stripIfInteger' : 'auto',
  }).format(amount);
}
