import type { KeyObject } from 'node:crypto';
import { eventMark, visitorId } from '../salts/visitor.ts';
import { encodeView } from '../views/view.ts';
import type { Agent } from './agent.ts';
import type { CollectedEvent } from './collected-events.ts';
import { hostOf, referrerHost } from './referrer-host.ts';

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** What all views of one request share. */
interface Arrival {
  readonly site: string;
  /** The Host header. */
  readonly host: string;
  readonly address: string;
  readonly agent: Agent;
  readonly salt: KeyObject;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The views of one request as they stand in a message, commas between them. */
export function encodedViews(events: readonly CollectedEvent[], { site, host, address, agent, salt, now }: Arrival): string {
  const visitor = visitorId(salt, site, address, agent.name);
  const { device, bot } = agent;
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
