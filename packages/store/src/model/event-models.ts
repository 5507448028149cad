import type { StoreModel } from './stored-record.ts';

type Listener = (model: StoreModel) => void;

const models = new Set<StoreModel>();
const listeners = new Set<Listener>();

/** Called by `defineModel`, so that no model that raises events can be left out. */
export function registerEventModel(model: StoreModel): void {
  models.add(model);
  for (const listener of listeners) listener(model);
}

/**
 * Calls back for each model that raises events, now and when it is defined later. Returns a function that unsubscribes.
 */
export function onEventModel(listener: Listener): () => void {
  listeners.add(listener);
  for (const model of models) listener(model);
  return () => listeners.delete(listener);
}
