import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JetStreamManager, NatsError, nanos, type StreamInfo } from 'nats';

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

/** How far a durable consumer of a stream is. */
export interface Progress {
  readonly consumer: string;
  /** All messages up to this sequence are acknowledged, or do not concern the consumer. */
  readonly floor: number;
  /** When the oldest message that it has not acknowledged was stored; undefined if it has acknowledged all. */
  readonly waitingSince: Date | undefined;
}

const noMessageFound = 10_037;

/** The progress of each durable consumer on the server. `lastSeq` is the stream's last sequence, read before. */
export async function progressOf(manager: JetStreamManager, stream: string, lastSeq: number): Promise<Progress[]> {
  const progress: Progress[] = [];
  for await (const info of manager.consumers.list(stream)) {
    if (info.config.durable_name !== undefined) progress.push(await progressOfOne(manager, info, lastSeq));
  }
  return progress;
}

/**
 * A consumer's own floor stays at the last message that it acknowledged, although later ones may be of other types:
 * what it waits for is the next message of its subjects.
 */
async function progressOfOne(manager: JetStreamManager, info: ConsumerInfo, lastSeq: number): Promise<Progress> {
  const { stream_name, name: consumer, num_pending, num_ack_pending, ack_floor, config } = info;
  if (num_pending + num_ack_pending === 0) return { consumer, floor: lastSeq, waitingSince: undefined };
  const from = ack_floor.stream_seq + 1;
  const subjects = config.filter_subjects ?? [config.filter_subject ?? '>'];
  const waiting = await Promise.all(subjects.map((subject) => messageFrom(manager, stream_name, from, subject)));
  const oldest = waiting.filter((message) => message !== undefined).sort((a, b) => a.seq - b.seq)[0];
  return { consumer, floor: oldest === undefined ? from - 1 : oldest.seq - 1, waitingSince: oldest?.time };
}

/** The first message of the subject at or after a sequence, undefined if there is none. */
async function messageFrom(manager: JetStreamManager, stream: string, seq: number, subject: string) {
  try {
    // The server answers this query since 2.9; the client's types know it for direct reads alone.
    const query = { seq, next_by_subj: subject };
    return await manager.streams.getMessage(stream, query);
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === noMessageFound) return undefined;
    throw error;
  }
}
