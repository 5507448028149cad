import type { EventEnvelope, EventType } from '@webkiln/messages';
import { type Bus, findBus, theBus } from '../bus.ts';

/**
 * Handles events of a type while connected, at most once: every listening process gets each one. `onFeedRestored`
 * signals that some may have been missed.
 */
export function listen<T extends EventType>(type: T, handle: (event: EventEnvelope<T>) => void): void {
  const bus = theBus();
  subscribe(bus, bus.subject(type), (data) => handle(JSON.parse(data)));
}

/** Subscribes now or on the first connection; the client itself subscribes again on each later one. */
export function subscribe(bus: Bus, subject: string, handle: (data: string) => void): void {
  const start = () => {
    bus.connection?.subscribe(subject, { callback: (error, message) => error ?? handle(message.string()) });
  };
  if (bus.connection === undefined) bus.once('up', start);
  else start();
}

const heartbeatIntervalMs = 1_000;
const heartbeatTimeoutMs = 2_500;

/** Outside the stream's subjects: a heartbeat is worthless a second later. */
const heartbeatSubject = ({ settings }: Bus) => `${settings.prefix}beat.identity`;

/** Publishes identity's heartbeat each second, over the same connection as its events. */
export function startHeartbeat(): void {
  const bus = theBus();
  const timer = setInterval(() => bus.connection?.publish(heartbeatSubject(bus)), heartbeatIntervalMs);
  bus.beforeStop(async () => clearInterval(timer));
}

interface Feed {
  /** On the monotonic clock, in milliseconds. */
  lastHeartbeatAt: number;
  readonly restored: (() => void)[];
}

const feeds = new WeakMap<Bus, Feed>();

const isLive = ({ lastHeartbeatAt }: Feed): boolean => performance.now() - lastHeartbeatAt < heartbeatTimeoutMs;

/** True while identity's events reach this process: a heartbeat came in the last 2.5 s on the present connection. */
export function feedIsLive(): boolean {
  const bus = findBus();
  return bus !== undefined && isLive(feedOf(bus));
}

/** Calls back when the feed becomes live, also for the first time: earlier events may have been missed. */
export function onFeedRestored(restored: () => void): void {
  feedOf(theBus()).restored.push(restored);
}

function feedOf(bus: Bus): Feed {
  const known = feeds.get(bus);
  if (known !== undefined) return known;
  const feed: Feed = { lastHeartbeatAt: Number.NEGATIVE_INFINITY, restored: [] };
  feeds.set(bus, feed);
  bus.on('down', () => {
    feed.lastHeartbeatAt = Number.NEGATIVE_INFINITY;
  });
  subscribe(bus, heartbeatSubject(bus), () => {
    const wasLive = isLive(feed);
    feed.lastHeartbeatAt = performance.now();
    if (!wasLive) for (const restored of feed.restored) restored();
  });
  return feed;
}
