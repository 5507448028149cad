import { isIP } from 'node:net';
import { AppError } from '@webkiln/contract';
import { logger, retry } from '@webkiln/runtime';
import { type ConnectionOptions, connect, Events, type NatsConnection, type TlsOptions } from 'nats';
import { Bus, findBus, setBus } from './bus.ts';
import { defaultGiveUp, type EventsOptions, streamSettings } from './event-streams.ts';
import { inboxPrefix } from './permissions/nats-permissions.ts';

const reconnectDelayMs = 250;
const requestTimeoutMs = 2_000;

let connecting: Promise<NatsConnection | undefined> | undefined;

/** Starts to connect and returns immediately. Without NATS the service works, and its events wait in their outboxes. */
export async function connectEvents(url: string, serviceName: string, options: EventsOptions = {}): Promise<void> {
  const bus = new Bus(streamSettings(options), { ...defaultGiveUp, ...options.giveUp });
  setBus(bus);
  connecting = firstConnection(bus, { ...serverOf(url), name: serviceName, inboxPrefix: inboxPrefix(serviceName) });
}

/** Ends consumers, relays and heartbeats after their current work, then the connection. */
export async function closeEvents(): Promise<void> {
  const bus = findBus();
  setBus(undefined);
  await bus?.stop();
  await (await connecting)?.close();
  connecting = undefined;
}

/** Throws `unavailable` while NATS is unreachable. The service works without it, so this is no readiness check. */
export async function eventsCheck(): Promise<void> {
  if (findBus()?.connection === undefined) throw new AppError('unavailable');
}

/**
 * Separates credentials from the address: `nats://user:password@host:4222`. To `tls://` nothing is ever sent in the
 * clear: a server without TLS, or without a valid certificate for this host, counts as unreachable. The other servers
 * of a cluster, of which the client learns IP addresses, need a certificate for this host too.
 */
export function serverOf(url: string): ConnectionOptions {
  const { protocol, host, hostname, username, password } = new URL(url);
  const credentials = username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { servers: host, ...credentials, ...(protocol === 'tls:' && { tls: tlsTo(hostname) }) };
}

/** The client knows by itself which name a certificate needs; without `host` it takes an IP address for "localhost". */
function tlsTo(hostname: string): TlsOptions {
  const address = hostname.replaceAll(/[[\]]/g, '');
  const checkedAs: TlsOptions & { host?: string } = isIP(address) === 0 ? {} : { host: address };
  return checkedAs;
}

/** Retries until it is connected; later the client itself reconnects, forever. Undefined if the service stops first. */
async function firstConnection(bus: Bus, server: ConnectionOptions): Promise<NatsConnection | undefined> {
  const { signal } = bus.stopping;
  const attempt = async () => {
    const connection = await connect({
      ...server,
      timeout: requestTimeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectDelayMs,
      reconnectJitter: reconnectDelayMs,
      ignoreAuthErrorAbort: true,
      pingInterval: requestTimeoutMs,
      maxPingOut: 2,
      noAsyncTraces: true,
    });
    void follow(bus, connection);
    bus.connected(connection);
    return connection;
  };
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'NATS is unreachable; connecting again');
  return retry(attempt, { delayMs: reconnectDelayMs, signal, onFailure }).catch(() => undefined);
}

async function follow(bus: Bus, connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) {
      logger.warn('NATS connection lost; events wait in their outboxes');
      bus.disconnected();
    } else if (type === Events.Reconnect) {
      logger.info('NATS connection restored');
      bus.connected(connection);
    }
  }
}
