import { defineGlobalModel, isDuplicate, unscoped } from '@webkiln/store';

/** How often the stream was made anew. It is the platform's own. `_id` is the stream's name. */
const EraModel = defineGlobalModel<{ created: string; era: number }>('stream_eras', {
  created: { type: String, required: true },
  era: { type: Number, required: true },
});

/** More messages than one stream ever has; 8,192 streams one after the other fit beside that into a number. */
const eraSize = 2 ** 40;

/** A message's place among all that ever were: a stream that is made anew, counting from 1, goes on behind the one that was lost. */
export const positionOf = (era: number, sequence: number): number => era * eraSize + sequence;

/** The number of the stream that was created then, from 1. */
export async function eraOf(stream: string, created: string): Promise<number> {
  for (;;) {
    const known = await unscoped(EraModel).findOne({ _id: stream });
    if (known?.created === created) return known.era;
    if (known !== null) {
      await unscoped(EraModel).updateOne({ _id: stream, era: known.era }, { $set: { created, era: known.era + 1 } });
      continue;
    }
    try {
      await unscoped(EraModel).insert({ _id: stream, created, era: 1 });
    } catch (error) {
      if (!isDuplicate(error, '_id')) throw error;
    }
  }
}
