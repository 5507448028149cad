import { type EventStream, eventStreams } from '@webkiln/messages';
import { DiscardPolicy, nanos } from 'nats';
import { PersistentStream } from './persistent-stream.ts';

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

export interface StreamSettings {
  /** A prefix of every subject. */
  readonly prefix: string;
  /** The name of each stream on the server. */
  readonly names: Readonly<Record<EventStream, string>>;
  /** Each stream's maximum size on disk. While it is full, its events wait in their outboxes. */
  readonly maxBytes: Readonly<Record<EventStream, number>>;
  /** Events that no consumer acknowledges are deleted after this time. */
  readonly maxAgeMs: number;
  /** How long an event stays after every consumer has acknowledged it. */
  readonly keepMs: number;
  /** How many servers of a NATS cluster keep each stream. */
  readonly replicas: number;
}

export type EventStreams = Readonly<Record<EventStream, PersistentStream>>;

const duplicateWindowMs = 10 * 60_000;

/** The subjects of each stream. `internal.>` is all that earlier releases published. */
const subjectsOf: Readonly<Record<EventStream, readonly string[]>> = {
  EVENTS: ['events.>', 'internal.>'],
  MAILS: ['mails.>'],
  AUDIT: ['audit.>'],
  FORMS: ['forms.>'],
};

/** Streams that refuse events while they are full, instead of deleting others. */
export function openEventStreams({ prefix, names, maxBytes, maxAgeMs, replicas }: StreamSettings): EventStreams {
  const open = (stream: EventStream) =>
    new PersistentStream(
      names[stream],
      subjectsOf[stream].map((subject) => `${prefix}${subject}`),
      {
        discard: DiscardPolicy.New,
        max_bytes: maxBytes[stream],
        max_age: nanos(maxAgeMs),
        duplicate_window: nanos(duplicateWindowMs),
        num_replicas: replicas,
      },
    );
  return Object.fromEntries(eventStreams.map((stream) => [stream, open(stream)])) as Record<EventStream, PersistentStream>;
}

/** When a failing message becomes a dead letter, and how long that is kept. */
export interface GiveUp {
  readonly retryForMs: number;
  /** A handler that has not ended after this long has failed: its message comes again. */
  readonly maxHandlingMs: number;
  readonly keepDays: number;
  /** Dead letters of one consumer and organization; beyond it the oldest is dropped. */
  readonly keepMax: number;
}

export const defaultGiveUp: GiveUp = { retryForMs: 15 * 60_000, maxHandlingMs: 10 * 60_000, keepDays: 30, keepMax: 1_000 };
