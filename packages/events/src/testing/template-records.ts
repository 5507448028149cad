import { randomUUID } from 'node:crypto';
import { Change, type EventEnvelope, type RaisedEvent } from '@webkiln/messages';
import { defineModel, insertChange, saveChange } from '@webkiln/store';
import { testCaller } from '@webkiln/store/testing';
import { messagesOn } from './test-stream.ts';

export { signsOfWork } from './signs-of-work.ts';
export { messagesOn, ownStream, publish, put, quiet, removeStream, streamWith, useOwnStream, withNats } from './test-stream.ts';

export const Templates = defineModel<{ name: string }>('templates', { name: String }, { raisesEvents: true });

/** An event that is recognized by its `template_id`. */
export const deleted = (template_id: string): RaisedEvent => ({ type: 'internal.template.deleted', data: { template_id } });

/** A record whose insert and changes raise one event each: "<its id> 0", "<its id> 1", … */
export async function record(changes = 0, org_id: string = randomUUID()): Promise<string> {
  const caller = testCaller(org_id);
  const _id = randomUUID();
  let current = await insertChange(Templates, caller, new Change({ _id, name: '0' }, [deleted(`${_id} 0`)]));
  for (let change = 1; change <= changes; change++) {
    current = await saveChange(Templates, caller, current, new Change({ name: `${change}` }, [deleted(`${_id} ${change}`)]));
  }
  return _id;
}

/** The marks of the events on a stream, in its order. */
export async function marksOn(stream: string, servers?: string): Promise<string[]> {
  const messages = await messagesOn(stream, servers);
  return messages.map((message) => message.json<EventEnvelope<'internal.template.deleted'>>().data.template_id);
}
