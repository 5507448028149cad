import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookEvent } from '@webkiln/contract';
import { Webhook } from 'standardwebhooks';
import type { Agency } from '../../harness/agency.ts';
import type { PublicEvent } from './demo-consumer.ts';

/** An event as a subscriber has it. */
export interface Heard {
  readonly id: string;
  /** The exact text. */
  readonly body: string;
  readonly event: PublicEvent;
  /** When it came first; monotonic, ms. */
  readonly firstAt: number;
  /** How often it came. */
  times: number;
  /** Whether it was answered with a 2xx. */
  taken: boolean;
}

const mostWrong = 20;

/** A webhook from its owner's side: verifies what comes by the published library, and keeps it by its webhook-id. */
export class Subscriber {
  readonly agency: Agency;
  readonly webhookId: string;
  readonly types: readonly WebhookEvent[];
  readonly heard = new Map<string, Heard>();
  /** What came and should not have. */
  readonly wrong: string[] = [];
  readonly #verifier: Webhook;

  private constructor(agency: Agency, types: readonly WebhookEvent[], { id, secret }: { id: string; secret: string }) {
    this.agency = agency;
    this.types = types;
    this.webhookId = id;
    this.#verifier = new Webhook(secret);
  }

  /** Registers the address for events of these types. */
  static async register(agency: Agency, url: string, types: readonly WebhookEvent[]): Promise<Subscriber> {
    const { webhook } = (await agency.api.post('/webhooks', { url, events: types })).expect(201).body;
    return new Subscriber(agency, types, webhook);
  }

  get repeats(): number {
    return [...this.heard.values()].reduce((sum, { times }) => sum + times - 1, 0);
  }

  /** Notes a delivery; undefined for one that is not to be trusted. */
  hear(headers: IncomingHttpHeaders, body: string): Heard | undefined {
    try {
      return this.#note(String(headers['webhook-id']), body, this.#verifier.verify(body, headers as Record<string, string>) as PublicEvent);
    } catch (error) {
      if (this.wrong.length < mostWrong) this.wrong.push(`${error}: ${JSON.stringify(headers)} ${body}`);
      return undefined;
    }
  }

  #note(id: string, body: string, event: PublicEvent): Heard {
    if (event.id !== id) throw new Error(`webhook-id is not the event's id ${event.id}`);
    if (event.org_id !== this.agency.organization.id) throw new Error('it is of another organization');
    if (!this.types.includes(event.type)) throw new Error(`${event.type} is not subscribed to`);
    const heard = this.heard.get(id) ?? { id, body, event, firstAt: performance.now(), times: 0, taken: false };
    if (heard.body !== body) throw new Error(`the same id came before with another body: ${heard.body}`);
    this.heard.set(id, heard);
    heard.times++;
    return heard;
  }
}
