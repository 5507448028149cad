import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookEvent } from '@webkiln/contract';
import { Webhook } from 'standardwebhooks';
import type { Agency } from '../../../harness/agency.ts';
import type { PublicEvent } from '../records/demo-consumer.ts';

/** An event as a subscriber received it. */
export interface ReceivedEvent {
  readonly id: string;
  /** The exact body text. */
  readonly body: string;
  readonly event: PublicEvent;
  /** Time of the first delivery; monotonic, ms. */
  readonly firstAt: number;
  /** Number of deliveries of this event. */
  deliveries: number;
  /** True once a delivery was answered with a 2xx. */
  accepted: boolean;
}

const maxViolations = 20;

/** A webhook seen by its owner: verifies deliveries with the published library and keeps them by webhook-id. */
export class Subscriber {
  readonly agency: Agency;
  readonly webhookId: string;
  readonly types: readonly WebhookEvent[];
  readonly received = new Map<string, ReceivedEvent>();
  /** Deliveries that should not have arrived, as text. */
  readonly violations: string[] = [];
  readonly #verifier: Webhook;

  private constructor(agency: Agency, types: readonly WebhookEvent[], { id, secret }: { id: string; secret: string }) {
    this.agency = agency;
    this.types = types;
    this.webhookId = id;
    this.#verifier = new Webhook(secret);
  }

  /** Registers a webhook for events of these types. */
  static async register(agency: Agency, url: string, types: readonly WebhookEvent[]): Promise<Subscriber> {
    const { webhook } = (await agency.api.post('/webhooks', { url, events: types })).expect(201).body;
    return new Subscriber(agency, types, webhook);
  }

  get repeats(): number {
    return [...this.received.values()].reduce((sum, { deliveries }) => sum + deliveries - 1, 0);
  }

  /** Verifies and records a delivery. Returns undefined if it is invalid. */
  receive(headers: IncomingHttpHeaders, body: string): ReceivedEvent | undefined {
    try {
      return this.#note(String(headers['webhook-id']), body, this.#verifier.verify(body, headers as Record<string, string>) as PublicEvent);
    } catch (error) {
      if (this.violations.length < maxViolations) this.violations.push(`${error}: ${JSON.stringify(headers)} ${body}`);
      return undefined;
    }
  }

  #note(id: string, body: string, event: PublicEvent): ReceivedEvent {
    if (event.id !== id) throw new Error(`webhook-id differs from the event's id ${event.id}`);
    if (event.org_id !== this.agency.organization.id) throw new Error('the event belongs to another organization');
    if (!this.types.includes(event.type)) throw new Error(`${event.type} is not subscribed to`);
    const received = this.received.get(id) ?? { id, body, event, firstAt: performance.now(), deliveries: 0, accepted: false };
    if (received.body !== body) throw new Error(`the same id was delivered before with another body: ${received.body}`);
    this.received.set(id, received);
    received.deliveries++;
    return received;
  }
}
