import type { JsMsg } from 'nats';
import { decodeReadable, type View } from '../../views/view.ts';
import { toPosition } from './stream-epoch-store.ts';

/** The views of one partition in a message of the stream; may be empty. */
export interface ReadMessage {
  readonly views: readonly View[];
  /** Views that could not be decoded, each as a message of its own. */
  readonly unreadable: readonly string[];
  readonly position: number;
  readonly sequence: number;
  /** When the stream stored the message, in milliseconds since 1970. */
  readonly at: number;
}

/** Decodes the views of the partition's own sites from a message. */
export function readMessage(message: JsMsg, epoch: number, isOwnSite: (site: string) => boolean): ReadMessage {
  const { seq: sequence, info } = message;
  const at = Math.floor(info.timestampNanos / 1e6);
  return { ...decodeReadable(message.string(), isOwnSite), position: toPosition(epoch, sequence), sequence, at };
}

export const countViews = (messages: readonly ReadMessage[]): number => messages.reduce((sum, { views }) => sum + views.length, 0);
