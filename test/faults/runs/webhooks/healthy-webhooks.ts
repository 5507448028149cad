import { randomUUID } from 'node:crypto';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';
import { HoldingReceiver } from './holding-receiver.ts';
import { acceptAll, ReceiverServer } from './receiver.ts';
import type { Subscriber } from './subscriber.ts';

const healthyCount = 10;
const unlimited = 1_000_000;
const types = ['client.created'] as const;
const arrivalTimeoutMs = 150_000;

/** An agency with ten webhooks that answer at once and one that never answers, all subscribed to the same events. */
export class HealthyWebhooks implements AsyncDisposable {
  static async start(facts: PlatformFacts): Promise<HealthyWebhooks> {
    const owner = await agency(facts, { rateLimit: unlimited });
    const healthy = await ReceiverServer.start(acceptAll);
    const holding = new HoldingReceiver(() => true);
    const hangingTests = await ReceiverServer.start(holding.respond);
    const hanging = await hangingTests.subscribe(owner, types);
    const subscribers = [];
    for (let index = 0; index < healthyCount; index++) subscribers.push(await healthy.subscribe(owner, types));
    return new HealthyWebhooks(owner, subscribers, hanging, holding, [healthy, hangingTests]);
  }

  /** Ids of the created clients. */
  readonly clients: string[] = [];
  readonly owner: Agency;
  readonly subscribers: readonly Subscriber[];
  readonly hanging: Subscriber;
  readonly holding: HoldingReceiver;
  readonly #receiverServers: readonly ReceiverServer[];

  private constructor(
    owner: Agency,
    subscribers: readonly Subscriber[],
    hanging: Subscriber,
    holding: HoldingReceiver,
    receiverServers: readonly ReceiverServer[],
  ) {
    this.owner = owner;
    this.subscribers = subscribers;
    this.hanging = hanging;
    this.holding = holding;
    this.#receiverServers = receiverServers;
  }

  /** Creates a client, which raises one event for every webhook. */
  async createClient(name: string): Promise<void> {
    const { body } = (await this.owner.api.post('/clients', { email: `${randomUUID()}@example.test`, name })).expect(201);
    this.clients.push(body.client.id);
  }

  /** Resolves when each healthy webhook has received every event. */
  allArrived(): Promise<void> {
    return eventually(() => {
      const largestGap = Math.max(...this.subscribers.map(({ received }) => this.clients.length - received.size));
      if (largestGap > 0) throw new Error(`${largestGap} of ${this.clients.length} events did not arrive at a healthy webhook`);
    }, arrivalTimeoutMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const receivers of this.#receiverServers) await receivers[Symbol.asyncDispose]();
  }
}
