import { EventEmitter } from 'node:events';
import type { NatsConnection } from 'nats';
import { eventsStream, type KeptStream, type StreamSettings } from './stream.ts';

/** The process's way to NATS; `up` and `down` are emitted as the connection comes and goes. */
export class Bus extends EventEmitter<{ up: []; down: [] }> {
  readonly settings: StreamSettings;
  /** Of all events. */
  readonly stream: KeptStream;
  readonly stopping = new AbortController();
  /** Undefined while NATS is away. */
  connection: NatsConnection | undefined;
  readonly #parts: (() => Promise<void>)[] = [];

  constructor(settings: StreamSettings) {
    super();
    this.setMaxListeners(0);
    this.settings = settings;
    this.stream = eventsStream(settings);
  }

  /** `client.created` is public: `events.client.created`; `internal.…` is as it is. */
  subject(type: string): string {
    return `${this.settings.prefix}${type.startsWith('internal.') ? '' : 'events.'}${type}`;
  }

  connected(connection: NatsConnection): void {
    this.connection = connection;
    this.emit('up');
  }

  disconnected(): void {
    this.connection = undefined;
    this.emit('down');
  }

  /** Calls back once, when the connection is lost or the service stops; returns how to call that off. */
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

  /** Registers what `stop` waits for after `stopping` is aborted. */
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
