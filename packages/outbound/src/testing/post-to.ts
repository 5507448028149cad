import type { RequestListener } from 'node:http';
import type { OutboundAnswer } from '../attempt.ts';
import { Outbound, type OutboundRequest } from '../outbound.ts';
import type { OutboundRules } from '../outbound-config.ts';
import { Receiver } from './receiver.ts';

/** Sends one request under these rules, and closes the connection. */
export async function postTo(url: string, rules: OutboundRules, more: Partial<OutboundRequest> = {}): Promise<OutboundAnswer> {
  const outbound = new Outbound(rules);
  try {
    return await outbound.post({ url, headers: {}, body: '{}', timeoutMs: 20_000, ...more });
  } finally {
    await outbound.close();
  }
}

/** The result of one request to a receiver that responds like this. */
export async function answerOf(answer: RequestListener, timeoutMs = 20_000): Promise<OutboundAnswer> {
  const receiver = await Receiver.start(answer);
  try {
    return await postTo(`http://127.0.0.1:${receiver.port}/hook?a=b`, receiver.rules(), { timeoutMs });
  } finally {
    await receiver[Symbol.asyncDispose]();
  }
}
