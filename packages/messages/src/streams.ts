import type { EventType } from './events.ts';

/** The streams of events. Each has its own size: what fills one of them stops nothing on the others. */
export const eventStreams = ['EVENTS', 'MAILS', 'AUDIT', 'FORMS'] as const;
export type EventStream = (typeof eventStreams)[number];

/** The types that are not on EVENTS: what strangers can raise, and what must arrive whatever they raise. */
const apart: Partial<Record<EventType, EventStream>> = {
  'internal.account.mail': 'MAILS',
  'internal.client.invited': 'MAILS',
  'internal.member.invited': 'MAILS',
  'internal.audited': 'AUDIT',
  'form.submitted': 'FORMS',
  'internal.form.recipient': 'FORMS',
  'internal.submission.deleted': 'FORMS',
};

/** The stream that an event is published on. */
export const streamOf = (type: EventType): EventStream => apart[type] ?? 'EVENTS';

/**
 * The subject of an event on EVENTS, where earlier releases published every type: `client.created` is
 * `events.client.created`; `internal.…` stays as it is.
 */
export const subjectOnEvents = (type: EventType): string => (type.startsWith('internal.') ? type : `events.${type}`);

/** The subject of an event on its stream: `form.submitted` is `forms.form.submitted`. */
export function subjectOf(type: EventType): string {
  const stream = streamOf(type);
  return stream === 'EVENTS' ? subjectOnEvents(type) : `${stream.toLowerCase()}.${type}`;
}
