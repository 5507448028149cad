import { UnreadableMessage } from '../dead-letters/set-aside.ts';

/** An event, or any other message of a stream. */
export interface Message {
  readonly id: string;
  readonly type: string;
}

/** Throws `UnreadableMessage` unless the text is a JSON object with an id and a type. */
export function readMessage<M extends Message>(text: string): M {
  let found: Partial<M> | null;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableMessage('the message is no JSON', { cause });
  }
  if (typeof found?.id !== 'string' || typeof found.type !== 'string') throw new UnreadableMessage('the message has no id and type');
  return found as M;
}
