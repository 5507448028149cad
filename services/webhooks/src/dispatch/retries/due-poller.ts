import { logger, type PollTimer, type Run, repeat } from '@webkiln/runtime';
import { endpointsDue, nextDue } from '../../deliveries/delivery-store.ts';
import type { EndpointQueues } from '../queue/endpoint-queues.ts';

/** How often the store is polled for due deliveries that other processes left. */
const pollIntervalMs = 1_000;

/** Polls the store for due deliveries: when the timer says so, and at least once a second. */
export class DuePoller {
  readonly #timer: PollTimer;
  readonly #queues: EndpointQueues;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(timer: PollTimer, queues: EndpointQueues) {
    this.#timer = timer;
    this.#queues = queues;
  }

  start(): void {
    this.#running = repeat((run) => this.#poll(run), {
      worker: 'poll for due deliveries',
      signal: this.#stopping.signal,
      timer: this.#timer,
      onFailure: (error) => {
        logger.warn({ err: error }, 'retry poll failed: the store is unavailable; polling again in 1 s');
        this.#timer.restart(Date.now() + pollIntervalMs);
      },
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** While nothing is due this reads one index entry. */
  async #poll({ progress }: Run): Promise<void> {
    const now = new Date();
    this.#timer.restart(now.getTime() + pollIntervalMs);
    const first = await nextDue();
    if (first === null) return;
    if (first > now) {
      this.#timer.pollBy(first);
      return;
    }
    progress();
    for (const { key, org_id } of await endpointsDue(now)) this.#queues.markBacklog(key, org_id);
    progress();
    const later = await nextDue(now);
    if (later !== null) this.#timer.pollBy(later);
  }
}
