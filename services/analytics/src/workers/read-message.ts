import type { JsMsg } from 'nats';
import { decodeMessage, type View } from '../views/view.ts';
import { positionOf } from './stream-era-store.ts';

/** The views of one partition that a message of the stream holds; perhaps none. */
export interface ReadMessage {
  readonly views: readonly View[];
  readonly position: number;
  readonly sequence: number;
  /** When the stream took it, in milliseconds since 1970. */
  readonly at: number;
}

/** Reads what a message of the stream's era holds of the sites that are a partition's own. */
export function readMessage(message: JsMsg, era: number, isOwn: (site: string) => boolean): ReadMessage {
  const { seq: sequence, info } = message;
  const at = Math.floor(info.timestampNanos / 1e6);
  return { views: decodeMessage(message.string(), isOwn), position: positionOf(era, sequence), sequence, at };
}

export const viewsIn = (messages: readonly ReadMessage[]): number => messages.reduce((sum, { views }) => sum + views.length, 0);
