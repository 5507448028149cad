import { type EventStream, eventStreams } from '@webkiln/messages';
import { DiscardPolicy, nanos } from 'nats';
import { PersistentStream } from './persistent-stream.ts';

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
