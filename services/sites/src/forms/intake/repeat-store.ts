import { randomUUID } from 'node:crypto';
import { defineModel, isDuplicate, type Scope, scoped, where } from '@webkiln/store';

/** The submission that equal ones of the next moments are. */
interface Repeat {
  _id: string;
  org_id: string;
  submission_id: string;
  at: Date;
  expire_at: Date;
}

export const RepeatModel = defineModel<Repeat>(
  'form_repeats',
  {
    submission_id: { type: String, required: true },
    at: { type: Date, required: true },
    expire_at: { type: Date, required: true },
  },
  { indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const sameWithinMs = 10_000;
const keptMs = 60_000;

/**
 * The id for what was sent: a new one, or that of an equal submission of the last 10 s, whose process may have died before it kept it. `sent`
 * says who sent what where, and tells no address.
 */
export async function submissionIdFor(scope: Scope, sent: string, now: Date): Promise<{ id: string; repeated: boolean }> {
  const repeats = scoped(RepeatModel, scope);
  const over = { _id: sent, at: where({ $lte: new Date(now.getTime() - sameWithinMs) }) };
  const mine = { submission_id: randomUUID(), at: now, expire_at: new Date(now.getTime() + keptMs) };
  for (;;) {
    if ((await repeats.updateOne(over, { $set: mine })).matchedCount === 1) return { id: mine.submission_id, repeated: false };
    try {
      await repeats.insert({ _id: sent, ...mine });
      return { id: mine.submission_id, repeated: false };
    } catch (error) {
      if (!isDuplicate(error, '_id')) throw error;
    }
    const [first] = await repeats.find({ _id: sent, at: where({ $gt: new Date(now.getTime() - sameWithinMs) }) });
    if (first !== undefined) return { id: first.submission_id, repeated: true };
    // It has just gone, or its time was over: the next round takes its place.
  }
}
