import type { RaisedEvent } from '@webkiln/messages';
import { currentTraceparent } from '@webkiln/runtime';
import { newId } from '../model/ids.ts';
import { callerOf, type Scope } from '../model/scope.ts';
import type { KeptEntry, RecordFields, StoreModel } from '../model/stored-record.ts';

/** Bytes of an event's data. Larger data belongs in a record that the event names. */
const maxEventBytes = 64 * 1024;

type Current = Pick<RecordFields, '_id' | 'revision'>;

/**
 * The outbox entries of the events of one change. An event's id is derived from the record and its revision: two
 * attempts derive the same id, and only one is written. Throws a `RangeError` for data of more than 64 KB.
 */
export function outboxEntries(model: StoreModel, scope: Scope, { _id, revision }: Current, events: readonly RaisedEvent[]): KeptEntry[] {
  if (events.length > 0 && !model.raisesEvents) {
    throw new TypeError(`${model.collection} must be defined with raisesEvents: true to raise ${events[0]?.type}`);
  }
  const caller = callerOf(scope);
  const timestamp = new Date().toISOString();
  const traceparent = currentTraceparent();
  return events.map(({ type, data }, index) => ({
    id: newId(caller, `event ${index} of ${_id} at ${revision}`),
    type,
    timestamp,
    data: bounded(type, JSON.stringify(data)),
    ...(traceparent !== undefined && { traceparent }),
  }));
}

function bounded(type: string, data: string): string {
  if (data.length <= maxEventBytes / 3 || Buffer.byteLength(data) <= maxEventBytes) return data;
  throw new RangeError(`the data of ${type} has ${Buffer.byteLength(data)} bytes, more than ${maxEventBytes}`);
}
