import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport } from 'ai';
import { useCallback, useMemo, useRef, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { tellHost } from '../host.ts';
import type { Picture } from '../queries.ts';
import { isPassing, request, send } from '../requests.ts';
import { type ChangedFile, type Conversation, type TurnMessage, textOf } from './turn-message.ts';
import { useFollowing } from './use-following.ts';

/** Sends the last message of a conversation only: the server has the others. `model` undefined means the default. */
function chatTransport(projectId: string, model: string | undefined): DefaultChatTransport<TurnMessage> {
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

interface Options {
  readonly projectId: string;
  readonly conversation: Conversation;
  readonly model: string | undefined;
  readonly onFile: (file: ChangedFile) => void;
  /** What the preview shows changed; the files of the draft too if a turn has ended. */
  readonly onChanged: () => void;
}

/** Why a message was not taken; its text goes back to the input. */
export interface Refusal {
  readonly problem: Problem;
  readonly text: string;
}

/** A message that may have been taken or not, and what was stored before it. */
interface Doubtful extends Refusal {
  readonly before: readonly TurnMessage[];
}

/** The conversation about a project: sends messages, follows the running turn, also after a lost connection. */
export function useTurns({ projectId, conversation, model, onFile, onChanged }: Options) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [balance, setBalance] = useState(conversation.balance);
  const transport = useMemo(() => chatTransport(projectId, model), [projectId, model]);
  /** Why there was no stream. What a stream itself says is no `Problem`. */
  const problem = useRef<Problem>(undefined);
  const chat = useChat<TurnMessage>({
    id: projectId,
    messages: conversation.messages,
    transport,
    onData: (part) => {
      if (part.type === 'data-file') onFile(part.data);
      if (part.type === 'data-preview') onChanged();
      if (part.type === 'data-usage') setBalance(part.data.balance ?? null);
    },
    onError: (error) => {
      if (error instanceof Problem) problem.current = error;
    },
    onFinish: ({ message, isError, isDisconnect }) => {
      // A gateway that stops ends the stream in mid-turn.
      const hasEnded = message.metadata?.revision_id !== undefined;
      if (hasEnded && !isError && !isDisconnect) tellHost({ type: 'message', turn_id: message.metadata?.turn_id ?? null, state: 'done' });
    },
  });
  const { setMessages, sendMessage, resumeStream, status, clearError } = chat;

  const stored = useRef(conversation.messages);
  const doubtful = useRef<Doubtful[]>([]);
  const onRead = useCallback(
    ({ messages, balance: left }: Conversation) => {
      stored.current = messages;
      setMessages(messages);
      setBalance(left);
      clearError();
      onChanged();
      const lost = doubtful.current.filter((message) => !isStored(message, messages));
      doubtful.current = [];
      const [first] = lost;
      if (first !== undefined) setRefusal({ problem: first.problem, text: lost.map(({ text }) => text).join('\n') });
    },
    [setMessages, clearError, onChanged],
  );
  const resume = useCallback(async () => {
    problem.current = undefined;
    await resumeStream();
    if (problem.current !== undefined) throw problem.current;
  }, [resumeStream]);
  const { follow, leave, unread, readAgain } = useFollowing({ projectId, isRunning: conversation.isRunning, onRead, resume });

  const send = useCallback(
    async (text: string, pictures: readonly Picture[] = []) => {
      leave();
      setRefusal(null);
      problem.current = undefined;
      const before = stored.current;
      await sendMessage({ text, metadata: { pictures: pictures.map(({ id }) => id) } });
      const refused = problem.current as Problem | undefined;
      if (refused !== undefined && isPassing(refused)) doubtful.current.push({ problem: refused, text, before });
      else if (refused !== undefined) setRefusal({ problem: refused, text });
      await follow(false);
    },
    [sendMessage, follow, leave],
  );

  const isBusy = status === 'submitted' || status === 'streaming';
  return {
    messages: chat.messages,
    isBusy,
    refusal,
    /** Why what is stored is not shown, or the running turn is not followed. */
    unread: isBusy ? null : unread,
    readAgain,
    balance,
    dismiss: () => setRefusal(null),
    send,
    stop: () => request('POST', `/projects/${projectId}/chat/stop`),
  };
}

function isStored({ text, before }: Doubtful, now: readonly TurnMessage[]): boolean {
  const known = new Set(before.map(({ id }) => id));
  return now.some((message) => message.role === 'user' && !known.has(message.id) && textOf(message) === text);
}
