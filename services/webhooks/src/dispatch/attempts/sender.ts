import { signWebhook } from '@webkiln/contract';
import type { Outbound, OutboundAnswer } from '@webkiln/outbound';
import { histogram, logger } from '@webkiln/runtime';
import type { Attempt } from '../deliveries/delivery.ts';
import type { EndpointRecord } from '../endpoints/endpoint-store.ts';
import type { SigningSecrets } from '../endpoints/signing-secrets.ts';

/** What a delivery needs to know of its endpoint. */
export type Receiver = Pick<
  EndpointRecord,
  '_id' | 'org_id' | 'url' | 'secret' | 'previous_secret' | 'previous_secret_until' | 'failing_since'
>;

/** What came of one attempt. */
export interface Sent {
  readonly attempt: Attempt;
  readonly succeeded: boolean;
  readonly timedOut: boolean;
  /** The receiver says that it is gone for good. */
  readonly gone: boolean;
  /** The Retry-After of an answer that may have one. */
  readonly retryAfter: string | undefined;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

const userAgent = 'Webkiln-Webhooks/1.0';
const mayAskToWait = new Set([429, 503]);

const attemptSeconds = histogram({
  name: 'webkiln_webhook_attempt_seconds',
  help: 'How long attempts to deliver took',
  labelNames: ['result'],
  buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 5, 10, 15],
});

const succeededSeconds = attemptSeconds.labels('succeeded');
const failedSeconds = attemptSeconds.labels('failed');

/** Sends signed events: one request per attempt. */
export class Sender {
  readonly #outbound: Pick<Outbound, 'post'>;
  readonly #secrets: SigningSecrets;
  readonly #timeoutMs: number;

  constructor(outbound: Pick<Outbound, 'post'>, secrets: SigningSecrets, timeoutMs: number) {
    this.#outbound = outbound;
    this.#secrets = secrets;
    this.#timeoutMs = timeoutMs;
  }

  /** Posts the body, signed for this moment (Standard Webhooks 1.0). Never rejects. */
  async send(receiver: Receiver, eventId: string, body: string): Promise<Sent> {
    const begunAt = new Date();
    const timestamp = Math.floor(begunAt.getTime() / 1_000);
    try {
      const signature = signWebhook(this.#secrets.signing(receiver, begunAt), eventId, timestamp, body);
      const headers = {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': eventId,
        'webhook-timestamp': `${timestamp}`,
        'webhook-signature': signature,
      };
      return this.#sent(begunAt, await this.#outbound.post({ url: receiver.url, headers, body, timeoutMs: this.#timeoutMs }));
    } catch (error) {
      logger.error({ err: error, webhook_id: receiver._id }, 'a delivery could not be signed');
      return this.#sent(begunAt, { outcome: 'failed', reason: 'The delivery could not be signed.', latencyMs: 0 });
    }
  }

  #sent(begunAt: Date, answer: OutboundAnswer): Sent {
    const status = answer.outcome === 'answered' ? answer.status : undefined;
    const succeeded = status !== undefined && status >= 200 && status < 300;
    (succeeded ? succeededSeconds : failedSeconds).observe(answer.latencyMs / 1_000);
    return {
      attempt: {
        at: begunAt.toISOString(),
        status_code: status ?? null,
        latency_ms: answer.latencyMs,
        response: answer.outcome === 'answered' ? answer.response : null,
        reason: succeeded ? null : reasonOf(answer),
      },
      succeeded,
      timedOut: status === undefined && answer.latencyMs >= this.#timeoutMs,
      gone: status === 410,
      retryAfter: answer.outcome === 'answered' && mayAskToWait.has(answer.status) ? answer.retryAfter : undefined,
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
