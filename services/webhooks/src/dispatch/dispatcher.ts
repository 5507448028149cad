import { webhookEvents } from '@webkiln/contract';
import { consumeBatches } from '@webkiln/events';
import type { Outbound } from '@webkiln/outbound';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { DispatchSettings } from './dispatch-settings.ts';
import { DueClaims } from './due-claims.ts';
import { DueWatch } from './due-watch.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { fanOut } from './fan-out.ts';
import { Lanes } from './lanes.ts';
import { Sender } from './sender.ts';
import { UnderWay } from './under-way.ts';

/** How long attempts under way may go on when the process is told to stop. */
const drainMs = 5_000;

/** Brings events to endpoints: those that come from the stream, and those that are due again. Store and events must be connected. */
export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #watch: DueWatch;

  constructor(settings: DispatchSettings, outbound: Pick<Outbound, 'post'>, secrets: SigningSecrets) {
    const claims = new DueClaims(() => this.#parts);
    const lanes = new Lanes({ ...settings, onRoom: claims.hasRoom });
    this.#watch = new DueWatch(({ key, org_id }) => lanes.hasBacklog(lanes.lane(key, org_id)));
    this.#parts = {
      settings,
      lanes,
      sender: new Sender(outbound, secrets, settings.timeoutMs),
      health: new EndpointHealth(settings.disableAfterMs),
      underWay: new UnderWay(),
      dueAt: this.#watch.dueAt,
    };
  }

  /** A delivery was made due from outside: it need not wait for the next look. */
  readonly dueAt = (time: Date): void => this.#watch.dueAt(time);

  start(): void {
    consumeBatches({
      name: 'webhooks-dispatch',
      types: webhookEvents,
      handle: (events) => fanOut(this.#parts, events),
    });
    this.#watch.start();
  }

  /** Begins nothing more: events that still come are left to the store. Lets attempts under way end, and hands back what does not in time. */
  async stop(): Promise<void> {
    const { lanes, underWay, health } = this.#parts;
    lanes.stop();
    await this.#watch.stop();
    await underWay.drain(drainMs);
    await health.settled();
  }
}
