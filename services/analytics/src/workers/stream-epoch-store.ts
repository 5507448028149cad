import { defineGlobalModel, unscoped, where } from '@webkiln/store';

/** Counts how often the stream was recreated (`era`). Platform-wide. `_id` is the stream's name. */
const StreamEpochModel = defineGlobalModel<{ created: string; era: number }>('stream_eras', {
  created: { type: String, required: true },
  era: { type: Number, required: true },
});

/** More messages than one stream ever has. A double then holds 8,192 epochs exactly. */
const epochSize = 2 ** 40;

/**
 * Returns a message's position across all epochs. A recreated stream counts from 1 again, but its positions continue
 * after those of the lost one.
 */
export const toPosition = (epoch: number, sequence: number): number => epoch * epochSize + sequence;

/** Returns the epoch of the stream created at that time, from 1. Throws if it is recreated meanwhile. */
export async function getStreamEpoch(stream: string, created: string): Promise<number> {
  const epochs = unscoped(StreamEpochModel);
  await epochs.updateOne({ _id: stream }, { $setOnInsert: { created, era: 1 } }, { upsert: true });
  await epochs.updateOne({ _id: stream, created: where({ $ne: created }) }, { $set: { created }, $inc: { era: 1 } });
  const known = await epochs.findOne({ _id: stream, created });
  if (known === null) throw new Error('the stream was recreated meanwhile');
  return known.era;
}
