import type { ChatMessage, TurnState } from '@webkiln/contract';
import type { Reservation } from '../credits/reservation.ts';

/** A message and what was done about it. Its parts are in the stream TURNS. */
export interface Turn {
  _id: string;
  org_id: string;
  project_id: string;
  /** Counts the turns of the project, from 1. */
  number: number;
  state: TurnState;
  /** True while it runs, else null: a unique index allows one per project. */
  running: true | null;
  /** The client whose user wrote the message. */
  client_id: string | null;
  message: string;
  /** The answer. */
  text: string;
  files: string[];
  /** What its words and the names of its files take; undefined for turns of earlier releases. */
  bytes?: number;
  /** The draft that it began with; undefined until it was read. */
  base_revision_id?: string | null;
  revision_id: string | null;
  /** The credits that it may spend while it runs: only turns of models pay. */
  reservation?: Reservation | null;
  /** Model tokens spent, saved before its revision is made. */
  tokens?: number;
  /** Until then the process that works on it is alive. */
  lease_until: Date;
  stop_requested: boolean;
  created_at: Date;
}

const leaseMs = 15_000;
export const leaseFrom = (now: Date): Date => new Date(now.getTime() + leaseMs);

type Begun = Pick<Turn, '_id' | 'org_id' | 'project_id' | 'number' | 'client_id' | 'message' | 'reservation'>;

/** The bytes of a turn in its project's chat. */
export const bytesOf = ({ message, text = '', files = [] }: Pick<Turn, 'message'> & Partial<Pick<Turn, 'text' | 'files'>>): number =>
  [message, text, ...files].reduce((sum, words) => sum + Buffer.byteLength(words), 0);

/** A turn that begins now. */
export const beginTurn = (begun: Begun, now: Date): Turn => ({
  ...begun,
  state: 'running',
  running: true,
  text: '',
  files: [],
  bytes: bytesOf(begun),
  revision_id: null,
  lease_until: leaseFrom(now),
  stop_requested: false,
  created_at: now,
});

/** Both sides of a turn, as the API shows them. */
export function messagesOf({ _id: turn_id, state, message, text, files, revision_id, created_at }: Turn): ChatMessage[] {
  const both = { turn_id, state, created_at: created_at.toISOString() };
  return [
    { ...both, role: 'user', text: message, files: [], revision_id: null },
    { ...both, role: 'assistant', text, files, revision_id },
  ];
}
