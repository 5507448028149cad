import type { Visitor } from '../../salts/visitor-identifier.ts';
import { dayMs } from '../../views/utc-day.ts';
import { encodeView, hashEventId } from '../../views/view.ts';
import type { CollectedEvent } from '../parse/parse-collect-body.ts';
import { parseReferrerHost, stripPort } from '../parse/referrer-host.ts';

const hourMs = 3600_000;

/** The fields that all views of one request share. */
interface Arrival {
  readonly site: string;
  /** The Host header. */
  readonly host: string;
  readonly visitor: Visitor;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Encodes the views of one request for a message, separated by commas. */
export function encodeViews(
  events: readonly CollectedEvent[],
  { site, host, visitor: { id: visitor, device, bot }, now }: Arrival,
): string {
  let encoded = '';
  for (const { id, path, referrer: from, at } of events) {
    const referrer = from === '' ? '' : parseReferrerHost(from, stripPort(host));
    const view = encodeView({ site, at: clampTime(at, now), path, referrer, device, bot, visitor, event: hashEventId(site, id) });
    encoded = encoded === '' ? view : `${encoded},${view}`;
  }
  return encoded;
}

/** Trusts the visitor's clock for the hour before arrival, within the same UTC day. Clamps other times. */
function clampTime(at: number | undefined, now: number): number {
  if (at === undefined || at >= now) return now;
  const earliest = Math.max(now - hourMs, now - (now % dayMs));
  return Math.max(Math.round(at), earliest);
}
