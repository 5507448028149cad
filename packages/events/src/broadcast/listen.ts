import type { EventEnvelope, EventType } from '@webkiln/messages';
import { type Bus, theBus } from '../bus.ts';

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
