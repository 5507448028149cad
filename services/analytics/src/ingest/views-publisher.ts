import { randomBytes } from 'node:crypto';
import { inboxPrefix } from '@webkiln/events/permissions';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { createInbox, headers, type Msg, type NatsConnection } from 'nats';
import type { Visitor } from '../salts/visitor-identifier.ts';
import { dayMs, encodeMessage, encodeView, hashEventId, hourMs } from '../views/view.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { type CollectedEvent, parseReferrerHost, stripPort } from './parse-request.ts';

/** `stored`: on the stream's disk. `unavailable`: unknown, the views may be stored. `full`: not stored. */
export type PublishResult = 'stored' | 'unavailable' | 'full';

const defaultAckTimeoutMs = 2000;
/** NATS cannot answer within less. */
const minTimeoutMs = 10;

/** Publishes messages to the stream of views. */
export class ViewsPublisher {
  readonly #bus: Bus;
  readonly #stream: ViewsStream;
  /** Prefix of this process's message ids. */
  readonly #processId = randomBytes(9).toString('base64url');
  readonly #ackTimeoutMs: number;
  #messageCount = 0;
  #inbox: AckInbox | undefined;

  /** `ackTimeoutMs`: how long a message may take to be acknowledged; default 2,000. */
  constructor(bus: Bus, stream: ViewsStream, { ackTimeoutMs = defaultAckTimeoutMs } = {}) {
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#bus = bus;
    this.#stream = stream;
  }

  get isDisconnected(): boolean {
    return this.#bus.connection === undefined;
  }

  /**
   * Publishes the views of several requests (see `encodeMessage`) as one message. `openedAt` is when the first view
   * arrived (`performance.now()`); the timeout counts from then. After half of the timeout the message is sent again
   * with the same id, and the stream stores it once.
   */
  async publish(requests: readonly string[], openedAt: number): Promise<PublishResult> {
    const id = `${this.#processId}.${this.#messageCount++}`;
    const message = encodeMessage(requests);
    for (const share of [0.5, 1]) {
      const timeoutMs = Math.floor((openedAt + this.#ackTimeoutMs - performance.now()) * share);
      const { connection } = this.#bus;
      if (connection === undefined || timeoutMs < minTimeoutMs || !(await this.#ensureStream(connection))) break;
      const ack = await this.#inboxFor(connection).publish(this.#stream.subject, message, { id, timeoutMs });
      if (ack === 'stored') return 'stored';
      if (ack === 'refused') return 'full';
      if (ack === 'missing') this.#stream.forget();
      else logger.warn('views message was not acknowledged in time');
    }
    return 'unavailable';
  }

  async #ensureStream(connection: NatsConnection): Promise<boolean> {
    try {
      await this.#stream.ensure(connection);
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'stream of views is not available; views are refused');
      return false;
    }
  }

  #inboxFor(connection: NatsConnection): AckInbox {
    if (this.#inbox?.connection !== connection) this.#inbox = new AckInbox(connection);
    return this.#inbox;
  }
}

/** The fields that all views of one request share. */
interface Arrival {
  readonly site: string;
  /** The Host header. */
  readonly host: string;
  readonly visitor: Visitor;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Encodes the views of one request for a message, separated by commas. */
export function encodeViews(events: readonly CollectedEvent[], { site, host, visitor: { id: visitor, ...known }, now }: Arrival): string {
  let encoded = '';
  for (const { id, path, referrer: from, at, source, medium, campaign } of events) {
    const referrer = from === '' ? '' : parseReferrerHost(from, stripPort(host));
    const came = { at: clampTime(at, now), path, referrer, source, medium, campaign };
    const view = encodeView({ site, visitor, event: hashEventId(site, id), ...came, ...known });
    encoded = encoded === '' ? view : `${encoded},${view}`;
  }
  return encoded;
}

/** Trusts the visitor's clock for the hour before arrival, within the same UTC day. Clamps other times. */
function clampTime(at: number | undefined, now: number): number {
  if (at === undefined || at >= now) return now;
  const earliest = Math.max(now - hourMs, now - (now % dayMs));
  return Math.max(Math.round(at), earliest);
}

/**
 * `stored`: on disk. `refused`: the stream returned an error. `missing`: no such stream. `none`: no ack in time, so
 * the message may be stored.
 */
type Ack = 'stored' | 'refused' | 'missing' | 'none';

const messageIdHeader = 'Nats-Msg-Id';
const noRespondersCode = 503;

/**
 * Publishes to JetStream with one shared subscription for all acks. The client's own `publish` creates several
 * promises and an error with a stack trace per message, which costs more than handling the views of a small message.
 */
class AckInbox {
  readonly connection: NatsConnection;
  readonly #inbox: string;
  /** Keyed by reply subject. */
  readonly #pending = new Map<string, (ack: Ack) => void>();
  #messages = 0;

  /** The client renews the subscription itself after a reconnect. */
  constructor(connection: NatsConnection) {
    this.connection = connection;
    this.#inbox = createInbox(inboxPrefix('analytics'));
    connection.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.#pending.get(message.subject)?.(parseAck(message)) });
  }

  /** Publishes a message. The stream stores repeats of an id within its duplicate window once. Never rejects. */
  publish(subject: string, message: string, { id, timeoutMs }: { id: string; timeoutMs: number }): Promise<Ack> {
    const reply = `${this.#inbox}.${this.#messages++}`;
    const added = headers();
    added.set(messageIdHeader, id);
    return new Promise((resolve) => {
      const settle = (ack: Ack) => {
        clearTimeout(timer);
        this.#pending.delete(reply);
        resolve(ack);
      };
      const timer = setTimeout(settle, timeoutMs, 'none');
      this.#pending.set(reply, settle);
      try {
        this.connection.publish(subject, message, { reply, headers: added });
      } catch (error) {
        logger.warn({ err: error }, 'message could not be sent to NATS');
        settle('none');
      }
    });
  }
}

function parseAck(message: Msg): Ack {
  if (message.headers?.code === noRespondersCode) return 'missing';
  const { error, stream } = message.json<{ error?: unknown; stream?: string }>();
  if (error === undefined && typeof stream === 'string') return 'stored';
  logger.warn({ answer: error }, 'the stream refused a message');
  return 'refused';
}
