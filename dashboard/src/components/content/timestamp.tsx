import { language } from '../../texts/language.ts';
import { texts } from '../../texts.ts';

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const maxRelativeMs = 7 * 86_400_000;
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
const exact = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });

function formatTime(at: Date): string {
  const ms = at.getTime() - Date.now();
  if (Math.abs(ms) > maxRelativeMs) return day.format(at);
  for (const [unit, length] of steps)
    if (Math.abs(ms) >= length) return relative.format(ms > 0 ? Math.round(ms / length) : Math.trunc(ms / length), unit);
  return texts.justNow;
}

/** A point in time, relative if within a week. The tooltip has the exact time. */
export function Timestamp({ at, fallback = texts.never }: { at: string | null | undefined; fallback?: string }) {
  if (at === null || at === undefined) return <span className="soft">{fallback}</span>;
  const date = new Date(at);
  return (
    <time className="number" dateTime={at} title={exact.format(date)}>
      {formatTime(date)}
    </time>
  );
}
