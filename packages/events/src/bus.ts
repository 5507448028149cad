import { EventEmitter } from 'node:events';
import { type EventEnvelope, type EventStream, type EventType, streamOf, subjectOf, subjectOnEvents } from '@webkiln/messages';
import type { NatsConnection } from 'nats';
import { defaultGiveUp, type EventStreams, type GiveUp, openEventStreams, type StreamSettings } from './event-streams.ts';
import type { PersistentStream } from './persistent-stream.ts';

/** Runs a consumer's handler on a message again; the effect happens once. */
type Replay = (text: string) => Promise<unknown>;

/** The process's connection to NATS; emits `up` and `down` with its state. */
export class Bus extends EventEmitter<{ up: []; down: [] }> {
  readonly settings: StreamSettings;
  readonly giveUp: GiveUp;
  readonly streams: EventStreams;
  readonly stopping = new AbortController();
  /** Undefined while NATS is unreachable. */
  connection: NatsConnection | undefined;
  /** The consumers that run in this process, by name. */
  readonly replays = new Map<string, Replay>();
  readonly #parts: (() => Promise<void>)[] = [];

  constructor(settings: StreamSettings, giveUp = defaultGiveUp) {
    super();
    this.setMaxListeners(0);
    this.settings = settings;
    this.giveUp = giveUp;
    this.streams = openEventStreams(settings);
  }

  subject(type: EventType): string {
    return `${this.settings.prefix}${subjectOf(type)}`;
  }

  /**
   * Where events of these types are: the streams with the subjects on each. EVENTS has all of them, because an earlier
   * release may have published them there.
   */
  sources(types: readonly EventType[]): { stream: PersistentStream; subjects: string[] }[] {
    const subjects = new Map<EventStream, string[]>([['EVENTS', types.map((type) => `${this.settings.prefix}${subjectOnEvents(type)}`)]]);
    for (const type of types) {
      const name = streamOf(type);
      if (name !== 'EVENTS') subjects.set(name, [...(subjects.get(name) ?? []), this.subject(type)]);
    }
    return [...subjects].map(([name, on]) => ({ stream: this.streams[name], subjects: on }));
  }

  connected(connection: NatsConnection): void {
    this.connection = connection;
    this.emit('up');
  }

  disconnected(): void {
    this.connection = undefined;
    this.emit('down');
  }

  /** Calls back once, when the connection is lost or the service stops. Returns a function that cancels. */
  onEnd(ended: () => void): () => void {
    const { signal } = this.stopping;
    const off = () => {
      this.off('down', end);
      signal.removeEventListener('abort', end);
    };
    const end = () => {
      off();
      ended();
    };
    this.on('down', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    return off;
  }

  /** Registers work that `stop` waits for after it aborts `stopping`. */
  beforeStop(ended: () => Promise<void>): void {
    this.#parts.push(ended);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.#parts.map((ended) => ended()));
  }
}

let current: Bus | undefined;

export function setBus(bus: Bus | undefined): void {
  current = bus;
}

export const findBus = (): Bus | undefined => current;

/** Throws before `connectEvents`. */
export function theBus(): Bus {
  if (current === undefined) throw new Error('connectEvents comes first');
  return current;
}

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
