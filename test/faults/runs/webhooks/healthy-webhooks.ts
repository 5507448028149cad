import { randomUUID } from 'node:crypto';
import { type Agency, agency, eventually } from '../../harness/agency.ts';
import type { PlatformFacts } from '../../harness/test-platform.ts';
import { Audience, taking } from './audience.ts';
import { Holding } from './holding.ts';
import type { Subscriber } from './subscriber.ts';

const healthyCount = 10;
const unlimited = 1_000_000;
const types = ['client.created'] as const;
const arrivedWithinMs = 300_000;

/** An agency with ten webhooks that answer at once, and one that never answers; all want the same events. */
export class HealthyWebhooks implements AsyncDisposable {
  static async beside(facts: PlatformFacts): Promise<HealthyWebhooks> {
    const owner = await agency(facts, { rateLimit: unlimited });
    const healthy = await Audience.start(taking);
    const holding = new Holding(() => true);
    const silent = await Audience.start(holding.conduct);
    const hanging = await silent.subscribe(owner, types);
    const subscribers = [];
    for (let turn = 0; turn < healthyCount; turn++) subscribers.push(await healthy.subscribe(owner, types));
    return new HealthyWebhooks(owner, subscribers, hanging, holding, [healthy, silent]);
  }

  /** Ids of the clients that were created. */
  readonly clients: string[] = [];
  readonly owner: Agency;
  readonly subscribers: readonly Subscriber[];
  readonly hanging: Subscriber;
  readonly holding: Holding;
  readonly #audiences: readonly Audience[];

  private constructor(
    owner: Agency,
    subscribers: readonly Subscriber[],
    hanging: Subscriber,
    holding: Holding,
    audiences: readonly Audience[],
  ) {
    this.owner = owner;
    this.subscribers = subscribers;
    this.hanging = hanging;
    this.holding = holding;
    this.#audiences = audiences;
  }

  /** Creates a client: an event for each webhook. */
  async createClient(name: string): Promise<void> {
    const { body } = (await this.owner.api.post('/clients', { email: `${randomUUID()}@example.test`, name })).expect(201);
    this.clients.push(body.client.id);
  }

  /** Resolves when each healthy webhook has every event. */
  arrived(): Promise<void> {
    return eventually(() => {
      const most = Math.max(...this.subscribers.map(({ heard }) => this.clients.length - heard.size));
      if (most > 0) throw new Error(`${most} of ${this.clients.length} events did not arrive at a healthy webhook`);
    }, arrivedWithinMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const audience of this.#audiences) await audience[Symbol.asyncDispose]();
  }
}
