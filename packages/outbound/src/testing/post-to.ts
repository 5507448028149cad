import { Outbound, type OutboundRequest } from '../outbound.ts';
import type { OutboundAnswer } from '../outbound-answer.ts';
import type { OutboundRules } from '../outbound-rules.ts';

/** Sends one request with rules of its own, and closes the connection. */
export async function postTo(url: string, rules: OutboundRules, more: Partial<OutboundRequest> = {}): Promise<OutboundAnswer> {
  const outbound = new Outbound(rules);
  try {
    return await outbound.post({ url, headers: {}, body: '{}', timeoutMs: 20_000, ...more });
  } finally {
    await outbound.close();
  }
}
