import { DefaultChatTransport } from 'ai';
import { send } from '../requests.ts';
import { type TurnMessage, textOf } from './turn-message.ts';

/** Sends the last message of a conversation only: the server has the others. `model` undefined means the default. */
export function chatTransport(projectId: string, model: string | undefined): DefaultChatTransport<TurnMessage> {
  const chat = `/projects/${projectId}/chat`;
  return new DefaultChatTransport<TurnMessage>({
    api: chat,
    fetch: (url, init) => send(String(url), init),
    prepareSendMessagesRequest: ({ messages }) => ({
      headers: { 'Idempotency-Key': crypto.randomUUID() },
      body: bodyOf(messages.at(-1), model),
    }),
    prepareReconnectToStreamRequest: () => ({ api: `${chat}/stream` }),
  });
}

function bodyOf(message: TurnMessage | undefined, model: string | undefined) {
  const { pictures = [] } = message?.metadata ?? {};
  return {
    message: message === undefined ? '' : textOf(message),
    ...(model !== undefined && { model }),
    ...(pictures.length > 0 && { pictures }),
  };
}
