import type { EventStream } from '@webkiln/messages';
import { counter, logger } from '@webkiln/runtime';
import { ErrorCode, NatsError } from 'nats';

const logIntervalMs = 60_000;
/** JetStream's "maximum bytes exceeded", "insufficient resources" and "insufficient storage resources available". */
const noRoom = new Set<number | undefined>([10_077, 10_023, 10_047]);

export const refusedTotal = counter({
  name: 'webkiln_events_refused_total',
  help: 'Attempts to publish an event that its stream did not acknowledge; the event waits in its outbox',
  labelNames: ['stream', 'reason'],
});

type Reason = 'full' | 'silent' | 'failed';

/** What happened, what happens next, and what an operator can do. */
const sentences: Readonly<Record<Reason, (stream: EventStream) => string>> = {
  full: (stream) =>
    `the stream ${stream} has no room: its events wait in their outboxes and are published when there is. ` +
    `Find the consumer that is behind (webkiln_stream_unacknowledged_seconds), or raise ${stream}_STREAM_MB or the disk of NATS`,
  silent: (stream) =>
    `the stream ${stream} does not acknowledge events: they wait in their outboxes. ` +
    'If NATS runs and this goes on, its disk may be full: make room and restart NATS',
  failed: (stream) => `the stream ${stream} did not take events: they wait in their outboxes`,
};

const loggedAt = new Map<string, number>();

/** Counts what a stream refused, and logs it once a minute: while a stream is full, each second brings more. */
export function noteRefusals(stream: EventStream, errors: readonly unknown[]): void {
  const [err] = errors;
  const reason = errors.some(isNoRoom) ? 'full' : errors.some(isTimeout) ? 'silent' : 'failed';
  refusedTotal.inc({ stream, reason }, errors.length);
  const now = performance.now();
  if (now - (loggedAt.get(`${stream} ${reason}`) ?? Number.NEGATIVE_INFINITY) < logIntervalMs) return;
  loggedAt.set(`${stream} ${reason}`, now);
  logger[reason === 'full' ? 'error' : 'warn']({ err, stream, records: errors.length }, sentences[reason](stream));
}

const isNoRoom = (error: unknown) => error instanceof NatsError && noRoom.has(error.api_error?.err_code);
const isTimeout = (error: unknown) => error instanceof NatsError && error.code === ErrorCode.Timeout;
