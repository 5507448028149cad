import type { Visitor } from '../salts/daily-visitors.ts';
import { eventMark } from '../views/event-mark.ts';
import { encodeView } from '../views/view.ts';
import type { CollectedEvent } from './collected-events.ts';
import { hostOf, referrerHost } from './referrer-host.ts';

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** What all views of one request share. */
interface Arrival {
  readonly site: string;
  /** The Host header. */
  readonly host: string;
  readonly visitor: Visitor;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The views of one request as they stand in a message, commas between them. */
export function encodedViews(
  events: readonly CollectedEvent[],
  { site, host, visitor: { id: visitor, device, bot }, now }: Arrival,
): string {
  let encoded = '';
  for (const { id, path, referrer: from, at } of events) {
    const referrer = from === '' ? '' : referrerHost(from, hostOf(host));
    const view = encodeView({ site, at: within(at, now), path, referrer, device, bot, visitor, event: eventMark(site, id) });
    encoded = encoded === '' ? view : `${encoded},${view}`;
  }
  return encoded;
}

/** The moment of a view, as far as a visitor's clock can be believed: in the hour before its arrival, and on the same UTC day. */
function within(at: number | undefined, now: number): number {
  if (at === undefined || at >= now) return now;
  const earliest = Math.max(now - hourMs, now - (now % dayMs));
  return Math.max(Math.round(at), earliest);
}
