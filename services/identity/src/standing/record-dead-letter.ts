import { auditEvent, Change, type RaisedEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { changeStanding } from './change-standing.ts';

/** Records in the audit log that an operator is about to replay or discard a dead letter of the organization. */
export const recordDeadLetter = handle(
  'identity.RecordDeadLetter',
  forOperators(async ({ dead_letter_id: id, consumer: name, discarded }, caller) => {
    const action = discarded ? 'dead_letter.discarded' : 'dead_letter.replayed';
    const event = auditEvent(caller, action, { kind: 'dead_letter', id, name });
    await changeStanding(caller, ({ _id }) => {
      const named = { ...event, data: { ...event.data, org_ids: [_id] } } as RaisedEvent;
      return new Change({}, [named]);
    });
    return {};
  }),
);
