import { type ConsumerInfo, type JetStreamManager, NatsError } from 'nats';

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
