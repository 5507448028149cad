import { type EventStream, eventStreams } from '@webkiln/messages';
import type { GiveUp } from './dead-letters/give-up.ts';
import type { StreamSettings } from './event-streams.ts';

const mb = 1024 ** 2;
const defaultMb: Readonly<Record<EventStream, number>> = { EVENTS: 1024, MAILS: 64, AUDIT: 256, FORMS: 512 };

export interface EventsOptions {
  /** The name of the stream EVENTS; the others' names begin with it. Default: EVENTS, MAILS …, after the prefix. */
  stream?: string;
  /** A prefix for every subject and stream, so that several platforms can share one NATS; default none. */
  subjectPrefix?: string;
  /** The maximum sizes on disk. */
  maxBytes?: Partial<Record<EventStream, number>>;
  /** When an event that no consumer acknowledges is deleted; default 7 days. */
  maxAgeMs?: number;
  /** How long an event stays after every consumer has acknowledged it; default 1 hour. */
  keepMs?: number;
  /** How many servers of a NATS cluster keep each stream: 1 (default), 3 or 5. */
  replicas?: number;
  /** When a failing message becomes a dead letter; default: after 15 minutes, kept for 30 days, at most 1,000. */
  giveUp?: Partial<GiveUp>;
}

/** The options with their defaults. */
export function streamSettings({ stream, subjectPrefix = '', maxBytes, maxAgeMs, keepMs, replicas = 1 }: EventsOptions): StreamSettings {
  const nameOf = (name: EventStream) => {
    if (stream === undefined) return `${subjectPrefix}${name}`;
    return name === 'EVENTS' ? stream : `${stream}_${name}`;
  };
  const each = <T>(of: (name: EventStream) => T) =>
    Object.fromEntries(eventStreams.map((name) => [name, of(name)])) as Record<EventStream, T>;
  return {
    prefix: subjectPrefix,
    names: each(nameOf),
    maxBytes: each((name) => maxBytes?.[name] ?? defaultMb[name] * mb),
    maxAgeMs: maxAgeMs ?? 7 * 24 * 3600_000,
    keepMs: keepMs ?? 3600_000,
    replicas,
  };
}

/** The settings of the environment: see `eventsConfig`. */
interface EventsConfig {
  EVENTS_PREFIX: string;
  EVENTS_STREAM_MB: number;
  MAILS_STREAM_MB: number;
  AUDIT_STREAM_MB: number;
  FORMS_STREAM_MB: number;
  EVENTS_MAX_AGE_DAYS: number;
  EVENTS_KEEP_MINUTES: number;
  EVENTS_REPLICAS: number;
  EVENT_RETRY_MINUTES: number;
  DEAD_LETTER_DAYS: number;
  DEAD_LETTERS_MAX: number;
}

export const eventsOptions = (config: EventsConfig): EventsOptions => ({
  subjectPrefix: config.EVENTS_PREFIX,
  maxBytes: {
    EVENTS: config.EVENTS_STREAM_MB * mb,
    MAILS: config.MAILS_STREAM_MB * mb,
    AUDIT: config.AUDIT_STREAM_MB * mb,
    FORMS: config.FORMS_STREAM_MB * mb,
  },
  maxAgeMs: config.EVENTS_MAX_AGE_DAYS * 24 * 3600_000,
  keepMs: config.EVENTS_KEEP_MINUTES * 60_000,
  replicas: config.EVENTS_REPLICAS,
  giveUp: { retryForMs: config.EVENT_RETRY_MINUTES * 60_000, keepDays: config.DEAD_LETTER_DAYS, keepMax: config.DEAD_LETTERS_MAX },
});
