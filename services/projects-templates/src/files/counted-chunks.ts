import { scoped, type Tenant, where } from '@webkiln/store';
import { ChunkModel, uncountedChunks } from './chunk-store.ts';
import { addBytes, changeStored } from './stored-bytes-store.ts';

const batchSize = 100;

/** Deletes those of these chunks whose lease is unchanged, and gives back their bytes. */
export async function deleteChunks(tenant: Tenant, chunks: readonly { _id: string; held_at?: Date }[]): Promise<void> {
  for (let at = 0; at < chunks.length; at += batchSize) {
    const leases = new Map(chunks.slice(at, at + batchSize).map(({ _id, held_at }) => [_id, held_at?.getTime()]));
    await changeStored(tenant, async (changing) => {
      const found = await scoped(ChunkModel, changing).find({ _id: where({ $in: [...leases.keys()] }) }, { fields: ['held_at', 'size'] });
      const unchanged = found.filter(({ _id, held_at }) => held_at?.getTime() === leases.get(_id));
      if (unchanged.length === 0) return;
      await addBytes(changing, -sum(unchanged));
      await scoped(ChunkModel, changing).deleteMany({ _id: where({ $in: unchanged.map(({ _id }) => _id) }) });
    });
  }
}

/**
 * Counts the chunks that earlier versions stored. An organization may store more than its limit until they are counted,
 * but nothing after that.
 */
export async function countEarlierChunks(): Promise<void> {
  for (let batch = await uncountedChunks(batchSize); batch !== null; batch = await uncountedChunks(batchSize)) {
    const { org_id, sizes } = batch;
    await changeStored({ org_id }, async (changing) => {
      const chunks = scoped(ChunkModel, changing);
      const found = await chunks.find({ _id: where({ $in: [...sizes.keys()] }) }, { fields: ['size'] });
      const counted = found.flatMap(({ _id, size }) => (size === undefined ? [{ _id, size: sizes.get(_id) ?? 0 }] : []));
      await addBytes(changing, sum(counted));
      await chunks.updateEach(counted.map(({ _id, size }) => [{ _id }, { $set: { size } }]));
    });
  }
}

const sum = (chunks: readonly { size?: number }[]) => chunks.reduce((bytes, { size = 0 }) => bytes + size, 0);
