import { logger } from '@webkiln/runtime';
import { disable, recordFailing, recordWorking } from '../../endpoints/endpoint-health-store.ts';
import type { Receiver, Sent } from './sender.ts';

/** Records since when an endpoint fails, and disables it when it is gone or has failed for too long. */
export class EndpointHealth {
  readonly #disableAfterMs: number;
  /** Writes in flight, by endpoint: only one of several concurrent attempts writes. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(disableAfterMs: number) {
    this.#disableAfterMs = disableAfterMs;
  }

  /** Writes nothing while an endpoint keeps working. */
  record(receiver: Receiver, sent: Sent): void {
    if (sent.succeeded && receiver.failing_since === null) return;
    const { _id } = receiver;
    if (this.#writing.has(_id)) return;
    const writing = this.#write(receiver, sent)
      .catch((error: unknown) =>
        logger.warn({ err: error, webhook_id: _id }, 'recording endpoint health failed; the next attempt records it'),
      )
      .finally(() => this.#writing.delete(_id));
    this.#writing.set(_id, writing);
  }

  /** Resolves when every write has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  async #write({ _id, org_id, failing_since, url }: Receiver, { succeeded, gone, endedAt }: Sent): Promise<void> {
    const scope = { org_id };
    if (succeeded) return recordWorking(scope, _id);
    if (gone) return disable(scope, _id, 'gone', (endpoint) => endpoint.url === url);
    if (failing_since === null) return recordFailing(scope, _id, new Date(endedAt));
    if (!this.#isOver(failing_since, endedAt)) return;
    await disable(scope, _id, 'failing', (endpoint) => endpoint.failing_since !== null && this.#isOver(endpoint.failing_since, endedAt));
  }

  #isOver(failingSince: Date, now: number): boolean {
    return now - failingSince.getTime() >= this.#disableAfterMs;
  }
}
