import { logger } from '@webkiln/runtime';
import { type NatsConnection, NatsError, nanos, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from 'nats';

const dayMs = 24 * 3600_000;
const requestTimeoutMs = 2_000;
const otherConfiguration = 10_058;

/** A JetStream stream on disk. Each user creates it or updates its configuration. */
export class PersistentStream {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly #config: Partial<StreamConfig>;
  #ensured: Promise<void> | undefined;

  /**
   * `config`: the stream's maximum size, and what happens when it is full. Without `max_age` it keeps messages for
   * seven days.
   */
  constructor(name: string, subjects: readonly string[], config: Partial<StreamConfig>) {
    this.name = name;
    this.subjects = subjects;
    this.#config = { storage: StorageType.File, retention: RetentionPolicy.Limits, max_age: nanos(7 * dayMs), ...config };
  }

  /** Creates the stream unless it is known to exist. `forget` ends that: NATS may restart with an empty disk. */
  ensure(connection: NatsConnection): Promise<void> {
    this.#ensured ??= this.#createOrUpdate(connection).catch((error: unknown) => {
      this.forget();
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
    } catch (error) {
      if (!(error instanceof NatsError) || error.api_error?.err_code !== otherConfiguration) throw error;
      const info = await streams.info(this.name);
      const subjects = widened(info.config.subjects, this.subjects) ?? info.config.subjects;
      await streams.update(this.name, { ...config, subjects, ...neverBelowUse(config, info) });
    }
  }
}

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
