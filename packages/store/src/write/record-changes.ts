import type { StoreModel } from '../model/stored-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Hears of each write of this process to an organization's record; null: no record before, or none after. */
export type RecordChangeListener = (org_id: string, before: Fields | null, after: Fields | null) => void;

const listeners = new Map<StoreModel, RecordChangeListener[]>();

/** Calls back for each record of the model that this process inserts, changes or removes. */
export function onRecordChange(model: StoreModel, listener: RecordChangeListener): void {
  listeners.set(model, [...(listeners.get(model) ?? []), listener]);
}

export function notifyRecordChange(model: StoreModel, org_id: string, before: object | null, after: object | null): void {
  for (const listener of listeners.get(model) ?? []) listener(org_id, before as Fields | null, after as Fields | null);
}
