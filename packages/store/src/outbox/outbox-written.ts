import type { Session } from '../model/scope.ts';
import type { StoreModel } from '../model/stored-record.ts';

export type OutboxListener = (model: StoreModel, recordId: string) => void;

const listeners = new Set<OutboxListener>();

/** Calls back for each record to which this process added an event. Returns a function that unsubscribes. */
export function onOutboxWritten(listener: OutboxListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Writes of a transaction are visible only after its commit. */
export function notifyOutboxWritten(model: StoreModel, recordId: string, session?: Session): void {
  const tell = () => {
    for (const listener of listeners) listener(model, recordId);
  };
  if (session === undefined) tell();
  // A transaction may change any number of records.
  else session.setMaxListeners(0).once('ended', tell);
}
