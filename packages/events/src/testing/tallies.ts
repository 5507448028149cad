import type { EventEnvelope } from '@webkiln/messages';
import { defineModel, type Session, scoped } from '@webkiln/store';

const Tallies = defineModel<{ total: number }>('tallies', { total: Number });

/** A handler for tests that counts its runs: it adds one to its organization's total. */
export const add = async ({ org_id }: Pick<EventEnvelope, 'org_id'>, session: Session): Promise<void> =>
  void (await scoped(Tallies, { org_id, session }).updateOne({ _id: org_id }, { $inc: { total: 1 } }, { upsert: true }));

export const totalOf = async (org_id: string): Promise<number> => (await scoped(Tallies, { org_id }).findOne({}))?.total ?? 0;
