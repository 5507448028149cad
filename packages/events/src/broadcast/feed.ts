import { type Bus, findBus, theBus } from './bus.ts';
import { subscribe } from './listen.ts';

const beatEveryMs = 1_000;
const liveForMs = 2_500;

/** Outside the stream's subjects: a beat is worth nothing a second later. */
const beatSubject = ({ settings }: Bus) => `${settings.prefix}beat.identity`;

/** Identity's sign of life, each second, over the same connection as its events. */
export function startBeat(): void {
  const bus = theBus();
  const timer = setInterval(() => bus.connection?.publish(beatSubject(bus)), beatEveryMs);
  bus.beforeStop(async () => clearInterval(timer));
}

interface Feed {
  /** On the monotonic clock, in milliseconds. */
  lastBeatAt: number;
  readonly restored: (() => void)[];
}

const feeds = new WeakMap<Bus, Feed>();

const isLive = ({ lastBeatAt }: Feed): boolean => performance.now() - lastBeatAt < liveForMs;

/** True while what identity publishes reaches this process: a beat came in the last 2.5 s and the connection has held since. */
export function feedIsLive(): boolean {
  const bus = findBus();
  return bus !== undefined && isLive(feedOf(bus));
}

/** Runs when the feed becomes live, for the first time or again: what was published before may have been missed. */
export function onFeedRestored(restored: () => void): void {
  feedOf(theBus()).restored.push(restored);
}

function feedOf(bus: Bus): Feed {
  const known = feeds.get(bus);
  if (known !== undefined) return known;
  const feed: Feed = { lastBeatAt: Number.NEGATIVE_INFINITY, restored: [] };
  feeds.set(bus, feed);
  bus.on('down', () => {
    feed.lastBeatAt = Number.NEGATIVE_INFINITY;
  });
  subscribe(bus, beatSubject(bus), () => {
    const wasLive = isLive(feed);
    feed.lastBeatAt = performance.now();
    if (!wasLive) for (const restored of feed.restored) restored();
  });
  return feed;
}
