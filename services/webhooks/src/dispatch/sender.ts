import { signWebhook } from '@webkiln/contract';
import type { Outbound, OutboundAnswer } from '@webkiln/outbound';
import { histogram, logger } from '@webkiln/runtime';
import type { AttemptRecord } from '../deliveries/delivery.ts';
import type { EndpointRecord } from '../endpoints/endpoint-store.ts';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';

/** The fields of an endpoint that an attempt needs. */
export type Receiver = Pick<
  EndpointRecord,
  '_id' | 'org_id' | 'url' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'older_secrets' | 'failing_since'
>;

/** The result of one attempt. */
export interface Sent {
  readonly attempt: AttemptRecord;
  readonly succeeded: boolean;
  readonly timedOut: boolean;
  /** The receiver answered 410. */
  readonly gone: boolean;
  /** The Retry-After header of a 429 or 503. */
  readonly retryAfter: string | undefined;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

const userAgent = 'Webkiln-Webhooks/1.0';
const timestampOf = (startedAt: Date) => Math.floor(startedAt.getTime() / 1_000);

/** The headers of an attempt but for its signature (Standard Webhooks 1.0); those of all attempts without a time. */
export const sentHeaders = (eventId: string, startedAt?: Date): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'user-agent': userAgent,
  'webhook-id': eventId,
  ...(startedAt && { 'webhook-timestamp': `${timestampOf(startedAt)}` }),
});

const retryAfterStatuses = new Set([429, 503]);

const attemptSeconds = histogram({
  name: 'webkiln_webhook_attempt_seconds',
  help: 'How long attempts to deliver took',
  labelNames: ['result'],
  buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10, 15],
});

const succeededSeconds = attemptSeconds.labels('succeeded');
const failedSeconds = attemptSeconds.labels('failed');

/** Sends signed events, one request per attempt. */
export class Sender {
  readonly #outbound: Pick<Outbound, 'post'>;
  readonly #secrets: SigningSecrets;
  readonly #timeoutMs: number;

  constructor(outbound: Pick<Outbound, 'post'>, secrets: SigningSecrets, timeoutMs: number) {
    this.#outbound = outbound;
    this.#secrets = secrets;
    this.#timeoutMs = timeoutMs;
  }

  /** Posts the body with a signature and timestamp (Standard Webhooks 1.0). Never rejects. */
  async send(receiver: Receiver, eventId: string, body: string): Promise<Sent> {
    const startedAt = new Date();
    try {
      const signature = signWebhook(this.#secrets.signing(receiver, startedAt), eventId, timestampOf(startedAt), body);
      const headers = { ...sentHeaders(eventId, startedAt), 'webhook-signature': signature };
      return this.#sent(startedAt, await this.#outbound.post({ url: receiver.url, headers, body, timeoutMs: this.#timeoutMs }));
    } catch (error) {
      logger.error({ err: error, webhook_id: receiver._id }, 'signing a delivery failed');
      return this.#sent(startedAt, { outcome: 'failed', reason: 'The delivery could not be signed.', latencyMs: 0 });
    }
  }

  #sent(startedAt: Date, answer: OutboundAnswer): Sent {
    const status = answer.outcome === 'answered' ? answer.status : undefined;
    const succeeded = status !== undefined && status >= 200 && status < 300;
    (succeeded ? succeededSeconds : failedSeconds).observe(answer.latencyMs / 1_000);
    return {
      attempt: {
        at: startedAt.toISOString(),
        status_code: status ?? null,
        latency_ms: answer.latencyMs,
        response: answer.outcome === 'answered' ? answer.response : null,
        reason: succeeded ? null : reasonOf(answer),
      },
      succeeded,
      timedOut: answer.outcome === 'failed' && answer.timedOut === true,
      gone: status === 410,
      retryAfter: answer.outcome === 'answered' && retryAfterStatuses.has(answer.status) ? answer.retryAfter : undefined,
      endedAt: Date.now(),
    };
  }
}

function reasonOf(answer: OutboundAnswer): string {
  if (answer.outcome === 'failed') return answer.reason;
  if (answer.status === 410) return 'The receiver answered 410: it is gone, and gets no more events.';
  if (answer.status >= 300 && answer.status < 400) return `The receiver answered ${answer.status}; redirects are not followed.`;
  return `The receiver answered ${answer.status}; only 2xx counts as received.`;
}
