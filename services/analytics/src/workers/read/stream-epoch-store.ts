import { defineGlobalModel, isDuplicate, unscoped } from '@webkiln/store';

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

/** Returns the epoch of the stream created at that time, from 1. */
export async function getStreamEpoch(stream: string, created: string): Promise<number> {
  for (;;) {
    const known = await unscoped(StreamEpochModel).findOne({ _id: stream });
    if (known?.created === created) return known.era;
    if (known !== null) {
      await unscoped(StreamEpochModel).updateOne({ _id: stream, era: known.era }, { $set: { created, era: known.era + 1 } });
      continue;
    }
    try {
      await unscoped(StreamEpochModel).insert({ _id: stream, created, era: 1 });
    } catch (error) {
      if (!isDuplicate(error, '_id')) throw error;
    }
  }
}
