import { logger } from '@webkiln/runtime';
import { NatsError, type StreamUpdateConfig } from 'nats';

const retryMs = 15_000;
const logIntervalMs = 60_000;
/** JetStream's "no suitable peers for placement" and "replicas > 1 not supported in non-clustered mode". */
const tooFewServers = new Set<number | undefined>([10_005, 10_074]);

/** NATS cannot make a stream with the replicas that are set: what needs the stream waits. It is logged already. */
export class TooFewServers extends Error {}

/** How many servers of a NATS cluster keep a stream, as EVENTS_REPLICAS says. */
export class StreamReplicas {
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
      if (replicas !== present) logger.info({ stream: this.#stream, from: present, to: replicas }, 'the replicas of a stream change');
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
