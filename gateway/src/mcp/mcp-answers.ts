import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@webkiln/messages';
import { callForReply } from '@webkiln/rpc';
import { isWrite, type McpMessage } from './mcp-message.ts';
import { SharedAnswers } from './shared-answers.ts';

/** The HTTP response to a message, and its outcome for the log. */
export interface McpAnswer {
  readonly status: number;
  /** The text before `json`. */
  readonly start?: string;
  readonly json: Buffer;
  readonly outcome_status?: number;
  readonly outcome_code?: string;
}

/** The answers to agents' messages: mcp gives them, and those that it shares are repeated for a second. */
export class McpAnswers {
  readonly #shared = new SharedAnswers();

  /** `body` is the message as it was sent. Rejects with the `AppError` of the call. */
  async answer(message: McpMessage, body: Buffer, headers: IncomingHttpHeaders, caller: Caller): Promise<McpAnswer> {
    const key = this.#shared.keyOf(message, body, headers, caller.principal.org_id);
    const known = key === undefined ? undefined : this.#shared.find(key, message.id);
    if (known !== undefined) return known;
    const askedAt = performance.now();
    const sent = {
      json: body,
      protocol_version: headers['mcp-protocol-version'] as string | undefined,
      method: headers['mcp-method'] as string | undefined,
      name: headers['mcp-name'] as string | undefined,
    };
    const { reply } = await callForReply(isWrite(message) ? 'mcp.AnswerWrite' : 'mcp.Answer', sent, caller);
    if (key !== undefined) this.#shared.keep(key, reply, askedAt);
    return reply;
  }
}
