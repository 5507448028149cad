import { texts } from '../texts.ts';

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relativeMostMs = 7 * 86_400_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

function spoken(at: Date): string {
  const ms = at.getTime() - Date.now();
  if (Math.abs(ms) > relativeMostMs) return day.format(at);
  for (const [unit, length] of steps) if (Math.abs(ms) >= length) return relative.format(Math.trunc(ms / length), unit);
  return texts.justNow;
}

/** A moment as people say it; exactly, when pointed at. */
export function Moment({ at, otherwise = texts.never }: { at: string | null | undefined; otherwise?: string }) {
  if (at === null || at === undefined) return <span className="soft">{otherwise}</span>;
  const date = new Date(at);
  return (
    <time className="number" dateTime={at} title={exact.format(date)}>
      {spoken(date)}
    </time>
  );
}
