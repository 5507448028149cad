import { logger, type PollTimer } from '@webkiln/runtime';
import type { DispatchSettings } from '../dispatch-config.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { type AttemptedDelivery, type Outcome, outcomeOf } from './outcome.ts';
import type { Receiver, Sent } from './sender.ts';

/** The end of every attempt: its outcome is written, then the endpoint's health is updated and a retry is scheduled. */
export class OutcomeRecorder {
  readonly #settings: Pick<DispatchSettings, 'retryWaitsMs'>;
  readonly #health: EndpointHealth;
  readonly #pollTimer: PollTimer;

  constructor(settings: Pick<DispatchSettings, 'retryWaitsMs'>, health: EndpointHealth, pollTimer: PollTimer) {
    this.#settings = settings;
    this.#health = health;
    this.#pollTimer = pollTimer;
  }

  /** Never rejects: a delivery whose outcome cannot be written is attempted again. */
  async record(receiver: Receiver, delivery: AttemptedDelivery, sent: Sent, write: (outcome: Outcome) => Promise<unknown>): Promise<void> {
    const outcome = outcomeOf(this.#settings, receiver, delivery, sent);
    try {
      await write(outcome);
    } catch (error) {
      const { event_id } = delivery;
      logger.warn({ err: error, webhook_id: receiver._id, event_id }, 'writing a delivery outcome failed; the attempt will be repeated');
    }
    this.#health.record(receiver, sent);
    if (outcome.due_at !== null) this.#pollTimer.pollBy(outcome.due_at);
  }
}
