import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { type ConnectionOptions, connect, Events, type NatsConnection } from 'nats';
import { Bus, findBus, setBus } from './bus.ts';

const reconnectWaitMs = 250;
const answerWithinMs = 2_000;

export interface EventsOptions {
  /** The stream's name; default EVENTS, after the prefix. */
  stream?: string;
  /** Put before every subject and stream, so that several platforms can share one NATS; default none. */
  subjectPrefix?: string;
  /** What the stream may take on disk; when it is full, events wait in their outboxes. Default 1 GiB. */
  maxBytes?: number;
}

let connecting: Promise<NatsConnection | undefined> | undefined;

/** Starts connecting and returns at once: with NATS away, now or later, the service works and its events wait in their outboxes. */
export async function connectEvents(url: string, serviceName: string, options: EventsOptions = {}): Promise<void> {
  const { subjectPrefix = '', stream = `${subjectPrefix}EVENTS`, maxBytes = 1024 ** 3 } = options;
  const bus = new Bus({ stream, prefix: subjectPrefix, maxBytes });
  setBus(bus);
  connecting = firstConnection(bus, { ...serverOf(url), name: serviceName });
}

/** Ends consumers, relays and beats once they have finished what they are at, then the connection. */
export async function closeEvents(): Promise<void> {
  const bus = findBus();
  setBus(undefined);
  await bus?.stop();
  await (await connecting)?.close();
  connecting = undefined;
}

/** Throws `unavailable` while NATS is away. A service works on without it, so this tells its state, not its readiness. */
export async function eventsCheck(): Promise<void> {
  if (findBus()?.connection === undefined) throw new AppError('unavailable');
}

/** Credentials go apart from the address: `nats://user:password@host:4222`. */
function serverOf(url: string): ConnectionOptions {
  const { host, username, password } = new URL(url);
  const credentials = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: host, ...credentials };
}

/** Tries until there is a connection; from then on the client itself reconnects, for ever. */
async function firstConnection(bus: Bus, server: ConnectionOptions): Promise<NatsConnection | undefined> {
  const { signal } = bus.stopping;
  while (!signal.aborted) {
    try {
      const connection = await connect({
        ...server,
        timeout: answerWithinMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: reconnectWaitMs,
        reconnectJitter: reconnectWaitMs,
        ignoreAuthErrorAbort: true,
        pingInterval: answerWithinMs,
        maxPingOut: 2,
        noAsyncTraces: true,
      });
      void follow(bus, connection);
      bus.connected(connection);
      return connection;
    } catch (error) {
      logger.warn({ err: error }, 'NATS is away');
      await pause(reconnectWaitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

async function follow(bus: Bus, connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      logger.warn('the connection to NATS is lost');
      bus.disconnected();
    } else if (type === Events.Reconnect) {
      logger.info('the connection to NATS is back');
      bus.connected(connection);
    }
  }
}
