import type { EventEnvelope } from '@webkiln/contract';
import { defineModel, type Session, scoped } from '@webkiln/store';

const Tallies = defineModel<{ total: number }>('tallies', { total: Number });

/** An effect for tests that shows how often it was made: adds one to its organization's total. */
export const add = async ({ org_id }: Pick<EventEnvelope, 'org_id'>, session: Session): Promise<void> =>
  void (await scoped(Tallies, { org_id, session }).updateOne({ _id: org_id }, { $inc: { total: 1 } }, { upsert: true }));

export const totalOf = async (org_id: string): Promise<number> => (await scoped(Tallies, { org_id }).findOne({}))?.total ?? 0;
