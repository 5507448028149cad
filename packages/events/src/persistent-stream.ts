import { logger } from '@webkiln/runtime';
import {
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamAPI,
  type StreamConfig,
  type StreamInfo,
  type StreamUpdateConfig,
} from 'nats';

const dayMs = 24 * 3600_000;
const requestTimeoutMs = 2_000;
const otherConfiguration = 10_058;
const streamMissing = 10_059;

/** `num_replicas` is `replicas` of the bus's settings, for every stream. */
type PersistentStreamConfig = Partial<StreamConfig> & Pick<StreamConfig, 'num_replicas'>;

/** A JetStream stream on disk. Each user creates it or updates its configuration. */
export class PersistentStream {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly #config: Partial<StreamConfig>;
  readonly #replicas: StreamReplicas;
  #ensured: Promise<void> | undefined;

  /**
   * `config`: the stream's maximum size, and what happens when it is full. Without `max_age` it keeps messages for
   * seven days.
   */
  constructor(name: string, subjects: readonly string[], config: PersistentStreamConfig) {
    this.name = name;
    this.subjects = subjects;
    this.#config = { storage: StorageType.File, retention: RetentionPolicy.Limits, max_age: nanos(7 * dayMs), ...config };
    this.#replicas = new StreamReplicas(name, config.num_replicas);
  }

  /**
   * Creates the stream unless it is known to exist. `forget` ends that: NATS may restart with an empty disk. Throws
   * `TooFewServers` while NATS cannot create it with its replicas.
   */
  ensure(connection: NatsConnection): Promise<void> {
    if (this.#replicas.beginRetry()) this.forget();
    this.#ensured ??= this.#createOrUpdate(connection).catch((error: unknown) => {
      if (!(error instanceof TooFewServers)) this.forget();
      throw error;
    });
    return this.#ensured;
  }

  forget(): void {
    this.#ensured = undefined;
  }

  /**
   * The first process creates it, the others find it. Its subjects only become more: a process of the release before
   * keeps what a newer one added.
   */
  async #createOrUpdate(connection: NatsConnection): Promise<void> {
    const { streams } = await connection.jetstreamManager({ timeout: requestTimeoutMs });
    const config = { ...this.#config, subjects: [...this.subjects] };
    try {
      await streams.add({ name: this.name, ...config });
      this.#replicas.applied();
    } catch (error) {
      const info = await this.#existing(streams, error);
      const subjects = widened(info.config.subjects, this.subjects) ?? info.config.subjects;
      const wanted = { ...config, subjects, ...neverBelowUse(config, info) };
      await this.#replicas.update(info.config.num_replicas, (replicas) => streams.update(this.name, { ...wanted, ...replicas }));
    }
  }

  /** The stream that kept NATS from creating it. */
  async #existing(streams: StreamAPI, error: unknown): Promise<StreamInfo> {
    const isRefused = this.#replicas.isRefused(error);
    if (!isRefused && codeOf(error) !== otherConfiguration) throw error;
    return streams.info(this.name).catch((missing: unknown) => {
      throw isRefused && codeOf(missing) === streamMissing ? this.#replicas.notCreated(error) : missing;
    });
  }
}

const codeOf = (error: unknown) => (error instanceof NatsError ? error.api_error?.err_code : undefined);

/** All of both lists; undefined if `present` has every one already. */
export const widened = (present: readonly string[], wanted: readonly string[]): string[] | undefined =>
  wanted.every((subject) => present.includes(subject)) ? undefined : [...new Set([...present, ...wanted])];

/** A smaller size or age than what is in use would make the server delete messages that no one has read. */
export function neverBelowUse(wanted: Partial<StreamConfig>, { config, state }: StreamInfo): Partial<StreamConfig> {
  const { max_bytes = -1, max_age = 0 } = wanted;
  const usedAge = state.messages === 0 ? 0 : nanos(Date.now() - Date.parse(state.first_ts));
  const kept: Partial<StreamConfig> = {};
  if (max_bytes > 0 && max_bytes < state.bytes) kept.max_bytes = state.bytes;
  if (max_age > 0 && max_age < usedAge) kept.max_age = config.max_age;
  if (Object.keys(kept).length > 0) {
    logger.warn(
      { stream: config.name, wanted: { max_bytes, max_age }, kept },
      'a stream holds more than its settings allow, and keeps its limits; start a process again when it holds less',
    );
  }
  return kept;
}

const retryMs = 15_000;
const logIntervalMs = 60_000;
/** JetStream's "no suitable peers for placement" and "replicas > 1 not supported in non-clustered mode". */
const tooFewServers = new Set<number | undefined>([10_005, 10_074]);

/** NATS cannot make a stream with the replicas that are set: what needs the stream waits. It is logged already. */
export class TooFewServers extends Error {}

/** How many servers of a NATS cluster keep a stream, as EVENTS_REPLICAS says. */
class StreamReplicas {
  readonly #stream: string;
  readonly #wanted: number;
  /** A process changes a stream once: two with different settings would otherwise undo each other for ever. */
  #isApplied = false;
  #retryAt = Number.POSITIVE_INFINITY;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(stream: string, wanted: number) {
    this.#stream = stream;
    this.#wanted = wanted;
  }

  /** True, once, when NATS had too few servers and it is time to try again. */
  beginRetry(): boolean {
    if (performance.now() < this.#retryAt) return false;
    this.#retryAt = Number.POSITIVE_INFINITY;
    return true;
  }

  isRefused(error: unknown): error is NatsError {
    return this.#wanted > 1 && error instanceof NatsError && tooFewServers.has(error.api_error?.err_code);
  }

  /** The stream has the replicas that are set. */
  applied(): void {
    this.#isApplied = true;
  }

  /** The stream does not exist, and NATS refused to make it. */
  notCreated(error: NatsError): TooFewServers {
    const message = this.#postpone(error, 'the stream does not exist yet, and what needs it waits');
    return new TooFewServers(message, { cause: error });
  }

  /** Updates a stream that has `present` replicas. If NATS cannot give it more, it goes on with those. */
  async update(present: number, update: (config: Pick<StreamUpdateConfig, 'num_replicas'>) => Promise<unknown>): Promise<void> {
    const replicas = this.#isApplied ? present : this.#wanted;
    try {
      await update({ num_replicas: replicas });
      if (replicas !== present) logger.info({ stream: this.#stream, from: present, to: replicas }, "changing the stream's replica count");
      this.applied();
    } catch (error) {
      if (!this.isRefused(error)) throw error;
      await update({ num_replicas: present });
      this.#postpone(error, `the stream keeps the replicas that it has (${present})`);
    }
  }

  /** Returns what it logs, at most once a minute. */
  #postpone(error: NatsError, meanwhile: string): string {
    const now = performance.now();
    this.#retryAt = now + retryMs;
    const message =
      `NATS has too few servers for EVENTS_REPLICAS=${this.#wanted} (${error.message}): ${meanwhile}. ` +
      'Start or add NATS servers, or set EVENTS_REPLICAS=1 in every process; trying again every 15 s';
    if (now - this.#loggedAt >= logIntervalMs) {
      this.#loggedAt = now;
      logger.error({ err: error, stream: this.#stream }, message);
    }
    return message;
  }
}
