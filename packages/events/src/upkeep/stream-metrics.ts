import type { EventStream } from '@webkiln/messages';
import { counter, gauge } from '@webkiln/runtime';
import type { StreamInfo } from 'nats';
import type { Progress } from './progress.ts';

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

export const countPurged = (stream: EventStream, purged: number): void => purgedTotal.inc({ stream }, purged);
