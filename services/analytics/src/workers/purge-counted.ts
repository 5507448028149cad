import type { ViewsStream } from '../views/views-stream.ts';
import type { GenerationStarts } from './generation-starts.ts';
import { allPartitions } from './partition-store.ts';

/** What each of the partitions has counted, and none remembers any more, makes room on the stream for what comes. */
export async function purgeCounted(stream: ViewsStream, partitions: number, starts: GenerationStarts): Promise<void> {
  const counted = (await allPartitions()).filter(({ _id }) => Number(_id) < partitions);
  const below = starts.unneededBelow(Math.min(...counted.map(({ at }) => at)));
  if (below !== undefined) await stream.purge(below);
}
