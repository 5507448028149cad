import type { UIMessage } from 'ai';
import { request } from '../requests.ts';

export type TurnState = 'running' | 'done' | 'failed' | 'stopped' | 'interrupted';

export interface ChangedFile {
  readonly path: string;
  readonly action: 'written' | 'deleted';
}

interface Metadata {
  readonly turn_id?: string;
  readonly state?: TurnState;
  readonly revision_id?: string | null;
  /** Ids of the pictures that go with a message to be sent. */
  readonly pictures?: readonly string[];
}

type Data = {
  file: ChangedFile;
  preview: { readonly revision_id: string | null };
  usage: { readonly credits: number; readonly balance?: number };
};

/** A message of the conversation, as the AI SDK keeps it. */
export type TurnMessage = UIMessage<Metadata, Data>;

/** A message as `GET …/chat/messages` has it. */
interface StoredMessage {
  readonly turn_id: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly state: TurnState;
  readonly files: readonly string[];
  readonly revision_id: string | null;
}

export interface Conversation {
  readonly messages: TurnMessage[];
  readonly isRunning: boolean;
  /** The credits that are left for models; null for those who do not pay for them. */
  readonly balance: number | null;
}

/** The answer has the id that its stream gives it. */
function turnMessageOf({ turn_id, role, text, state, files, revision_id }: StoredMessage): TurnMessage {
  const changed = files.map((path) => ({ type: 'data-file' as const, data: { path, action: 'written' as const } }));
  const id = role === 'user' ? `${turn_id} user` : turn_id;
  return { id, role, metadata: { turn_id, state, revision_id }, parts: [{ type: 'text', text }, ...(role === 'user' ? [] : changed)] };
}

/** The conversation so far. Of a running turn it has the user's message alone: the stream brings the rest. */
export async function readConversation(projectId: string): Promise<Conversation> {
  const { messages, balance } = await request<{ messages: StoredMessage[]; balance: number | null }>(
    'GET',
    `/projects/${projectId}/chat/messages`,
  );
  const shown = messages.filter(({ role, state }) => role === 'user' || state !== 'running');
  return { messages: shown.map(turnMessageOf), isRunning: messages.some(({ state }) => state === 'running'), balance };
}

export const textOf = ({ parts }: TurnMessage): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The files that a turn changed, each once, with what happened to it last. */
export function filesOf({ parts }: TurnMessage): readonly ChangedFile[] {
  const last = new Map<string, ChangedFile>();
  for (const part of parts) if (part.type === 'data-file') last.set(part.data.path, part.data);
  return [...last.values()];
}
