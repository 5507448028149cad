import { AckPolicy, DeliverPolicy, type JetStreamManager, nanos, type StreamInfo } from 'nats';
import type { Progress } from './progress.ts';

/** The server deletes the consumer after this time if we die before we do. */
const inactiveMs = 10_000;
/** Under pressure too: a consumer's figures may lag behind the stream's for a moment. */
const minKeepMs = 60_000;

/** How long acknowledged events stay: `keepMs`, but only a minute while the stream is more than half full. */
export const keepUnderPressure = ({ state, config }: StreamInfo, keepMs: number): number =>
  state.bytes > config.max_bytes / 2 ? Math.min(keepMs, minKeepMs) : keepMs;

/**
 * Deletes the messages that every consumer has acknowledged and that are older than `keepMs`. Returns their number.
 * Deletes none while one of the `expected` consumers does not exist: it will read the stream from its beginning. Safe
 * to run in several processes at once.
 */
export async function purgeAcknowledged(
  manager: JetStreamManager,
  { config, state }: StreamInfo,
  progress: readonly Progress[],
  { expected, keepMs }: { expected: readonly string[]; keepMs: number },
): Promise<number> {
  const existing = new Set(progress.map(({ consumer }) => consumer));
  if (progress.length === 0 || expected.some((name) => !existing.has(name))) return 0;
  const floor = Math.min(...progress.map((consumer) => consumer.floor));
  const keptFrom = new Date(Date.now() - keepMs);
  if (state.messages === 0 || floor < state.first_seq || new Date(state.first_ts) >= keptFrom) return 0;
  const seq = Math.min(floor + 1, await firstSince(manager, config.name, keptFrom));
  if (seq <= state.first_seq) return 0;
  const { purged } = await manager.streams.purge(config.name, { seq });
  return purged;
}

/** The first sequence that was stored at or after a time; one after the last if there is none. */
async function firstSince({ consumers }: JetStreamManager, stream: string, time: Date): Promise<number> {
  const { name, delivered } = await consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: time.toISOString(),
    inactive_threshold: nanos(inactiveMs),
    mem_storage: true,
    num_replicas: 1,
  });
  await consumers.delete(stream, name);
  return delivered.stream_seq + 1;
}
