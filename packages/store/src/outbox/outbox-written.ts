import type { StoreModel } from './model.ts';
import type { Session } from './scope.ts';

export type OutboxListener = (model: StoreModel, recordId: string) => void;

const listeners = new Set<OutboxListener>();

/** Tells of each record of this process that got an event to publish; returns how to stop it. */
export function onOutboxWritten(listener: OutboxListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is written in a transaction can be read only after its end. */
export function tellOutboxWritten(model: StoreModel, recordId: string, session?: Session): void {
  const tell = () => {
    for (const listener of listeners) listener(model, recordId);
  };
  if (session === undefined) tell();
  else session.once('ended', tell);
}
