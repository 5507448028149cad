import { consumeBatches, consumerOf } from '@webkiln/events';
import type { Outbound } from '@webkiln/outbound';
import { PollTimer } from '@webkiln/runtime';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';
import type { AttemptParts } from './attempts/attempt.ts';
import { EndpointHealth } from './attempts/endpoint-health.ts';
import { InFlight } from './attempts/in-flight.ts';
import { OutcomeRecorder } from './attempts/outcome-recorder.ts';
import { Sender } from './attempts/sender.ts';
import type { DispatchSettings } from './dispatch-config.ts';
import { fanOut } from './fan-out.ts';
import { EndpointQueues } from './queue/endpoint-queues.ts';
import { DueClaims } from './retries/due-claims.ts';
import { DuePoller } from './retries/due-poller.ts';

/** From SIGTERM on: attempts may end, then claims are released, and after 10 s a process is ended (runService). */
const stopTimes = { workMs: 5_000, releaseMs: 9_000, endMs: 10_000 };

/**
 * Delivers events to endpoints: stream → fan-out → endpoint queues → sender → outcomes. Due retries enter the queues by
 * poll and claim. Each part is built from the parts below it alone. The store and events must be connected before
 * `start`.
 */
export class Dispatcher {
  readonly #pollTimer = new PollTimer();
  readonly #health: EndpointHealth;
  readonly #parts: AttemptParts;
  readonly #queues: EndpointQueues;
  readonly #poller: DuePoller;

  constructor(settings: DispatchSettings, outbound: Pick<Outbound, 'post'>, secrets: SigningSecrets) {
    this.#health = new EndpointHealth(settings.disableAfterMs);
    this.#parts = {
      settings,
      sender: new Sender(outbound, secrets, settings.timeoutMs),
      outcomes: new OutcomeRecorder(settings, this.#health, this.#pollTimer),
      inFlight: new InFlight(),
    };
    this.#queues = new EndpointQueues(settings, new DueClaims(this.#parts), this.#parts.inFlight);
    this.#poller = new DuePoller(this.#pollTimer, this.#queues);
  }

  /** A delivery was made due by an RPC: it need not wait for the next poll. */
  get pollBy(): (time: Date) => void {
    return this.#pollTimer.pollBy;
  }

  start(): void {
    this.#queues.start();
    this.#poller.start();
    consumeBatches({
      ...consumerOf('webhooks-dispatch'),
      handle: (events) => fanOut(this.#parts, this.#queues, events),
    });
  }

  /**
   * Starts nothing more: events that still arrive are stored as due. Drains attempts in flight and releases what does
   * not end in time. Never rejects.
   */
  async stop(): Promise<void> {
    const { inFlight } = this.#parts;
    this.#queues.stop();
    inFlight.track(this.#poller.stop());
    await inFlight.drain(stopTimes);
    await this.#health.settled();
  }
}
