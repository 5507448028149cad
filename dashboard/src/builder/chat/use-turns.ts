import { useChat } from '@ai-sdk/react';
import type { FileUIPart } from 'ai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { tellHost } from '../host.ts';
import { request } from '../requests.ts';
import { chatTransport } from './chat-transport.ts';
import { type ChangedFile, type Conversation, readConversation, type TurnMessage } from './turn-message.ts';

const firstRetryMs = 500;
const maxRetryMs = 8000;

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

/** The conversation about a project: sends messages, follows the running turn, also after a lost connection. */
export function useTurns({ projectId, conversation, model, onFile, onChanged }: Options) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isLost, setLost] = useState(false);
  const [balance, setBalance] = useState(conversation.balance);
  const transport = useMemo(() => chatTransport(projectId, model), [projectId, model]);
  const retryMs = useRef(firstRetryMs);
  const refused = useRef(false);
  const chat = useChat<TurnMessage>({
    id: projectId,
    messages: conversation.messages,
    transport,
    resume: conversation.isRunning,
    onData: (part) => {
      if (part.type === 'data-file') onFile(part.data);
      if (part.type === 'data-preview') onChanged();
      if (part.type === 'data-usage') setBalance(part.data.balance);
    },
    onError: (error) => {
      refused.current = error instanceof Problem && error.status !== 0;
      if (error instanceof Problem && refused.current) setRefusal({ problem: error, text: '' });
    },
    onFinish: ({ message, isError, isDisconnect }) => {
      // A gateway that stops ends the stream in mid-turn.
      const hasEnded = message.metadata?.revision_id !== undefined;
      if (hasEnded && !isError && !isDisconnect) tellHost({ type: 'message', turn_id: message.metadata?.turn_id ?? null, state: 'done' });
    },
  });
  const { setMessages, resumeStream, status, clearError } = chat;

  /** Shows what is stored, and follows the turn that is running. */
  const catchUp = useCallback(async () => {
    const stored = await readConversation(projectId);
    setMessages(stored.messages);
    setBalance(stored.balance);
    setLost(false);
    clearError();
    onChanged();
    if (!stored.isRunning) return;
    // Its stream may be over before it is stored as ended.
    await new Promise((resolve) => setTimeout(resolve, firstRetryMs));
    await resumeStream();
  }, [projectId, setMessages, resumeStream, clearError, onChanged]);

  // What is stored is the truth: it is read at the end of each stream, however it ended.
  const before = useRef(status);
  useEffect(() => {
    const hadStream = ['submitted', 'streaming'].includes(before.current);
    before.current = status;
    if (!hadStream || (status !== 'ready' && status !== 'error')) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = () => {
      catchUp().then(
        () => {
          retryMs.current = firstRetryMs;
        },
        (error) => {
          setLost(Problem.of(error).status === 0 || Problem.of(error).status >= 500);
          timer = setTimeout(attempt, retryMs.current);
          retryMs.current = Math.min(retryMs.current * 2, maxRetryMs);
        },
      );
    };
    attempt();
    return () => clearTimeout(timer);
  }, [status, catchUp]);

  const sendText = useCallback(
    async (text: string, files: FileUIPart[] = []) => {
      setRefusal(null);
      refused.current = false;
      await chat.sendMessage({ text, files });
      if (refused.current) setRefusal((found) => found && { ...found, text });
    },
    [chat.sendMessage],
  );

  return {
    messages: chat.messages,
    isBusy: status === 'submitted' || status === 'streaming',
    refusal,
    isLost,
    balance,
    dismiss: () => setRefusal(null),
    send: sendText,
    stop: () => request('POST', `/projects/${projectId}/chat/stop`),
  };
}
