import { activeClient } from '../../../../contract/fixtures.ts';
import type { Agency } from '../../../../harness/agency.ts';
import { acceptAll, ReceiverServer } from '../../webhooks/receiver.ts';
import type { Subscriber } from '../../webhooks/subscriber.ts';
import { hostileAgency } from '../means/hostile-agency.ts';
import { jsonRequest, RequestLoops } from '../means/request-loops.ts';
import { subscribeOften, unsubscribe } from '../means/subscribe-often.ts';
import type { Nuisance, RunningNuisance, Scene } from '../nuisance.ts';

const webhooks = 10;

/** A tenant that asks for all of its deliveries again and again. */
export class LargeReplay implements Nuisance {
  readonly name = 'large-replay';
  readonly what: string;
  readonly unbounded = {
    WEBHOOK_REPLAYS_PER_SECOND: '10000',
    WEBHOOK_ORGANIZATION_CONCURRENCY: '20000',
    WEBHOOK_HOST_CONCURRENCY: '20000',
    WEBHOOK_ENDPOINT_CONCURRENCY: '1000',
    QUOTA_REQUESTS: '1000000',
  };
  readonly #events: number;
  #prepared: { hostile: Agency; receivers: ReceiverServer; subscribers: readonly Subscriber[] } | undefined;

  /** `events`: how many there are to be replayed, at each of 10 webhooks; more than it can replay while it lasts. */
  constructor(events: number) {
    this.#events = events;
    this.what = `a tenant replays ${events * webhooks} deliveries again and again`;
  }

  async prepare(scene: Scene): Promise<void> {
    const events = this.#events;
    const hostile = await hostileAgency(scene);
    const { id } = await activeClient(hostile.api);
    const receivers = await ReceiverServer.start(acceptAll);
    const subscribers = await subscribeOften(receivers, hostile, webhooks);
    for (let event = 0; event < events; event++) (await hostile.api.patch(`/clients/${id}`, { name: `Client ${event}` })).expect(200);
    await hostile.eventually(() => {
      const missing = subscribers.filter(({ received }) => received.size < events).length;
      if (missing > 0) throw new Error(`${missing} webhooks did not receive all of ${events} events`);
    });
    this.#prepared = { hostile, receivers, subscribers };
  }

  async start(): Promise<RunningNuisance> {
    if (this.#prepared === undefined) throw new Error('there is nothing to replay yet');
    const { hostile, receivers, subscribers } = this.#prepared;
    const after = new Date(Date.now() - 3600_000).toISOString();
    let asked = 0;
    const next = () => {
      const { webhookId } = subscribers[asked++ % webhooks] as Subscriber;
      return jsonRequest('POST', `/api/v1/webhooks/${webhookId}/replay`, hostile.api.key, { after, status: 'delivered' });
    };
    const loops = new RequestLoops({ origin: hostile.api.baseUrl, inFlight: 4, next });
    const repeats = () => subscribers.reduce((sum, subscriber) => sum + subscriber.repeats, 0);
    return {
      get attempts() {
        return loops.answered;
      },
      async stop() {
        await loops.stop();
        const sent = repeats();
        await unsubscribe(subscribers);
        await receivers[Symbol.asyncDispose]();
        return `${loops.statuses.get(202) ?? 0} replays asked for, ${sent} deliveries sent again`;
      },
    };
  }
}
