import { defaultLanguage, type Language } from '@webkiln/contract';
import { Temporal } from 'temporal-polyfill';

export type Interval = 'monthly' | 'yearly';

/**
 * The moment `count` intervals after `anchor`, by the calendar and the clock of a time zone (IANA). All periods count
 * from their anchor: from 31 January on they end on 28 February, 31 March and so on.
 */
export function afterIntervals(anchor: Date, interval: Interval, count: number, timeZone: string): Date {
  const months = count * (interval === 'yearly' ? 12 : 1);
  const end = Temporal.Instant.fromEpochMilliseconds(anchor.getTime()).toZonedDateTimeISO(timeZone).add({ months });
  return new Date(end.epochMilliseconds);
}

/** Whole days of 24 hours: what is overdue does not depend on clocks that are changed. */
export const afterDays = (moment: Date, days: number): Date => new Date(moment.getTime() + days * 86_400_000);

/** The day of a moment as people read it: "28 February 2026". */
export const dayText = (moment: Date, timeZone: string, language: Language = defaultLanguage): string =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { dateStyle: 'long', timeZone }).format(moment);

/** The calendar month of a moment, as in 2026-03. */
export const monthOf = (moment: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toPlainYearMonth().toString();

/** The `count` months up to that of `now`, oldest first, as in 2026-03. */
export function lastMonths(now: Date, count: number, timeZone: string): string[] {
  const month = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toPlainYearMonth();
  return Array.from({ length: count }, (_, at) => month.subtract({ months: count - 1 - at }).toString());
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== undefined;
  } catch {
    return false;
  }
}
