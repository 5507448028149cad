import type { ChatStreamPart } from '../gen/schemas.ts';
import type { Webkiln } from './webkiln.ts';

/** A message of the AI SDK, as far as it is sent. */
interface UiMessage {
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

interface ChatTransportOptions {
  /** The model that builds; by default the organization's. */
  readonly model?: string;
}

/**
 * The `transport` of the AI SDK's `useChat`: sends the last message, whose turn is the answer, because the platform has
 * those before it. To stop a turn, call `webkiln.chat.stop(projectId)`: it goes on without readers.
 */
export function chatTransport(webkiln: Webkiln, projectId: string, { model }: ChatTransportOptions = {}) {
  return {
    async sendMessages({ messages, abortSignal }: { messages: readonly UiMessage[]; abortSignal?: AbortSignal | undefined }) {
      const message = (messages.at(-1)?.parts ?? []).map(({ type, text }) => (type === 'text' ? text : '')).join('');
      const body = { message, ...(model !== undefined && { model }) };
      return (await webkiln.chat.sendMessage(projectId, body, { signal: abortSignal })).readable();
    },
    async reconnectToStream(): Promise<ReadableStream<ChatStreamPart> | null> {
      const { data, response } = await webkiln.chat.resume(projectId).withResponse();
      return response.status === 204 ? null : data.readable();
    },
  };
}
