import { type EventStream, eventStreams } from '@webkiln/messages';
import { counter, gauge, logger, runPeriodically } from '@webkiln/runtime';
import { type JetStreamManager, NatsError, type StreamInfo } from 'nats';
import { type Bus, theBus } from '../bus.ts';
import { consumersOf, retiredConsumers } from '../consumers.ts';
import { keepUnderPressure, type Progress, progressOf, purgeAcknowledged } from './purge.ts';

const everyMs = 15_000;
const requestTimeoutMs = 2_000;
const reportEveryMs = 3600_000;
const streamMissing = 10_059;

/**
 * Every 15 s, deletes the events that all consumers have acknowledged, and shows the state of the streams. One service
 * does so, because it must be able to read and purge every stream; any one of its processes suffices.
 */
export function keepStreams(): void {
  const bus = theBus();
  const reports = new Reports();
  const stop = runPeriodically({ everyMs, name: 'looking after the streams of events' }, async () => {
    if (bus.connection === undefined) return;
    const manager = await bus.connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
    for (const stream of eventStreams) await keep(manager, bus, stream, reports);
  });
  bus.beforeStop(async () => stop());
}

async function keep(manager: JetStreamManager, { settings }: Bus, stream: EventStream, reports: Reports): Promise<void> {
  const info = await manager.streams.info(settings.names[stream]).catch((error: unknown) => {
    // Its first user creates it.
    if (error instanceof NatsError && error.api_error?.err_code === streamMissing) return undefined;
    throw error;
  });
  if (info === undefined) return;
  const all = await progressOf(manager, info.config.name, info.state.last_seq);
  const progress = all.filter(({ consumer }) => !retiredConsumers.has(consumer));
  showStream(stream, info, progress);
  const expected = consumersOf(stream);
  reports.hindrances(stream, progress, expected);
  countPurged(stream, await purgeAcknowledged(manager, info, progress, { expected, keepMs: keepUnderPressure(info, settings.keepMs) }));
}

/** Says once an hour what keeps a stream from being purged for good. */
class Reports {
  #lastAt = new Map<EventStream, number>();

  hindrances(stream: EventStream, progress: readonly Progress[], expected: readonly string[]): void {
    const missing = expected.filter((name) => !progress.some(({ consumer }) => consumer === name));
    const unknown = progress.filter(({ consumer, waitingSince }) => waitingSince !== undefined && !isOurs(consumer));
    if (missing.length + unknown.length === 0) return;
    const now = performance.now();
    if (now - (this.#lastAt.get(stream) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
    this.#lastAt.set(stream, now);
    if (missing.length > 0)
      logger.warn({ stream, missing }, 'acknowledged events stay on the stream until these consumers exist: start their services');
    for (const { consumer, waitingSince } of unknown) {
      logger.warn(
        { stream, consumer, waitingSince },
        'acknowledged events stay on the stream for a consumer that no service has: delete it if nobody needs it',
      );
    }
  }
}

const isOurs = (consumer: string) => eventStreams.some((stream) => consumersOf(stream).includes(consumer));

const bytes = gauge({ name: 'webkiln_stream_bytes', help: 'Size of a stream of events on the disk of NATS', labelNames: ['stream'] });
const messages = gauge({ name: 'webkiln_stream_messages', help: 'Events on a stream, acknowledged or not', labelNames: ['stream'] });
const usedRatio = gauge({
  name: 'webkiln_stream_used_ratio',
  help: 'Size of a stream as a share of its maximum; at 1 it refuses events, which wait in their outboxes',
  labelNames: ['stream'],
});
export const replicasInSync = gauge({
  name: 'webkiln_stream_replicas_in_sync',
  help: 'Servers of the NATS cluster that hold all of a stream; fewer than EVENTS_REPLICAS while one is away or catches up',
  labelNames: ['stream'],
});
const unacknowledgedSeconds = gauge({
  name: 'webkiln_stream_unacknowledged_seconds',
  help: 'Age of the oldest event of a stream that a consumer has not acknowledged; 0 if there is none',
  labelNames: ['stream', 'consumer'],
});
const purgedTotal = counter({
  name: 'webkiln_stream_purged_total',
  help: 'Events that this process deleted from a stream after every consumer had acknowledged them',
  labelNames: ['stream'],
});

/** Shows a stream's state; every process that relays shows the same. */
export function showStream(stream: EventStream, { state, config, cluster }: StreamInfo, progress: readonly Progress[]): void {
  bytes.set({ stream }, state.bytes);
  messages.set({ stream }, state.messages);
  usedRatio.set({ stream }, state.bytes / config.max_bytes);
  replicasInSync.set({ stream }, 1 + (cluster?.replicas ?? []).filter(({ current }) => current).length);
  for (const { consumer, waitingSince } of progress) {
    const ageMs = waitingSince === undefined ? 0 : Math.max(0, Date.now() - waitingSince.getTime());
    unacknowledgedSeconds.set({ stream, consumer }, ageMs / 1_000);
  }
}

const countPurged = (stream: EventStream, purged: number): void => purgedTotal.inc({ stream }, purged);
