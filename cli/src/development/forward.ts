import { signWebhook } from '@webkiln/contract';
import { retry } from '@webkiln/runtime';

const answerTimeoutMs = 15_000;
const retryDelayMs = 1_000;

export interface Receiver {
  readonly url: string;
  readonly secret: string;
}

/** The receiver's status, or null if it did not answer in time. */
export interface Forwarded {
  readonly status: number | null;
  readonly latencyMs: number;
}

/**
 * Posts one event, signed with this secret (Standard Webhooks 1.0), and accepts any status. A refused connection is
 * retried each second, and `onAway` gets the reason. Rejects when `signal` is aborted.
 */
export async function forward(
  { id, json }: { id: string; json: string },
  receiver: Receiver,
  { signal, onAway }: { signal: AbortSignal; onAway: (reason: string) => void },
): Promise<Forwarded> {
  const attempt = async () => {
    const startedAt = performance.now();
    const since = () => Math.round(performance.now() - startedAt);
    const timeout = AbortSignal.timeout(answerTimeoutMs);
    try {
      const status = await post(id, json, receiver, AbortSignal.any([timeout, signal]));
      return { status, latencyMs: since() };
    } catch (error) {
      if (timeout.aborted && !signal.aborted) return { status: null, latencyMs: since() };
      throw error;
    }
  };
  return retry(attempt, { delayMs: retryDelayMs, signal, onFailure: (error) => onAway(reasonOf(error)) });
}

/** The outbound guard does not apply: the operator forwards to a private address of the same machine. */
async function post(id: string, json: string, { url, secret }: Receiver, signal: AbortSignal): Promise<number> {
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([secret], id, timestamp, json),
  };
  const response = await fetch(url, { method: 'POST', headers, body: json, redirect: 'manual', signal });
  await response.body?.cancel();
  return response.status;
}

/** fetch only says "fetch failed"; the cause has the reason, usually as a code such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? String(error);
}
