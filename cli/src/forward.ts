import { setTimeout as pause } from 'node:timers/promises';
import { signWebhook } from '@webkiln/contract';

const answerWithinMs = 15_000;
const askAgainMs = 1_000;

export interface Receiver {
  readonly url: string;
  readonly secret: string;
}

/** What came of an event: the receiver's status, or null when it did not answer in time. */
export interface Forwarded {
  readonly status: number | null;
  readonly latencyMs: number;
}

/**
 * Posts one event as a webhook of this secret would get it (Standard Webhooks 1.0), and takes any answer. While nobody takes the
 * connection it is tried again each second, and `onAway` hears why. Rejects when `signal` is aborted.
 */
export async function forward(
  { id, json }: { id: string; json: string },
  receiver: Receiver,
  { signal, onAway }: { signal: AbortSignal; onAway: (reason: string) => void },
): Promise<Forwarded> {
  for (;;) {
    const startedAt = performance.now();
    const since = () => Math.round(performance.now() - startedAt);
    const timeout = AbortSignal.timeout(answerWithinMs);
    try {
      const status = await post(id, json, receiver, AbortSignal.any([timeout, signal]));
      return { status, latencyMs: since() };
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) return { status: null, latencyMs: since() };
      onAway(reasonOf(error));
      await pause(askAgainMs, undefined, { signal });
    }
  }
}

/** Past the guard that a customer's addresses are held to: this one belongs to who types it, on his own machine, and is private by nature. */
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

/** fetch says "fetch failed"; why is in the cause, at best as a code such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? String(error);
}
