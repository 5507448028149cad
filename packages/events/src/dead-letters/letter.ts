import { hash } from 'node:crypto';

const maxErrorLength = 500;
const maxNameLength = 200;
const idLength = 24;

/** A message of a consumer that fails, or whose handling was given up. */
export interface Letter {
  readonly consumer: string;
  /** The message as it is on the stream. */
  readonly text: string;
}

/** The id, type and organization of the event in a message; empty texts where it cannot be read. */
export interface EventNames {
  readonly event_id: string;
  readonly type: string;
  readonly org_id: string;
}

/** The text of an error that is stored, at most 500 characters. */
export const reasonOf = (error: unknown): string => String(error).slice(0, maxErrorLength);

/** The id under which a message's failures are stored: the same for each delivery of it to a consumer. */
export const idOf = ({ consumer, text }: Letter): string => hash('sha256', `${consumer}\0${text}`, 'hex').slice(0, idLength);

/** What the event in a message says of itself. */
export function namesIn(json: string): EventNames {
  const named = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxNameLength) : '');
  try {
    const { id, type, org_id } = JSON.parse(json) ?? {};
    return { event_id: named(id), type: named(type), org_id: named(org_id) };
  } catch {
    return { event_id: '', type: '', org_id: '' };
  }
}
