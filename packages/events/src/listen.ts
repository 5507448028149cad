import type { EventEnvelope, EventType } from '@webkiln/contract';
import { type Bus, theBus } from './bus.ts';

/**
 * Hears events of a type while connected: every process that listens gets each one, at most once, and none that passed before.
 * `onFeedRestored` tells when some may have been missed.
 */
export function listen<T extends EventType>(type: T, heard: (event: EventEnvelope<T>) => void): void {
  const bus = theBus();
  subscribe(bus, bus.subject(type), (data) => heard(JSON.parse(data)));
}

/** Subscribes now or on the first connection; the client itself subscribes again on each later one. */
export function subscribe(bus: Bus, subject: string, heard: (data: string) => void): void {
  const start = () => {
    bus.connection?.subscribe(subject, { callback: (error, message) => error ?? heard(message.string()) });
  };
  if (bus.connection === undefined) bus.once('up', start);
  else start();
}
