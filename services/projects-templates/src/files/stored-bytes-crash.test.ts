import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { storeChunks } from './chunk-store.ts';
import { usedBytes } from './stored-bytes-store.ts';

useTestStore();

const bytes = 4_096;
const chunks = () =>
  mongoose.connection.collection<{ _id: string; org_id: string; held_at: Date; content: { length: () => number } }>('blob_chunks');
const stored = async (org_id: string): Promise<number> => {
  const found = await chunks().find({ org_id }).toArray();
  return found.reduce((sum, { content }) => sum + content.length(), 0);
};

async function killed(org_id: string, CHUNK_ID: string, ACTION: string, MOMENT: string): Promise<void> {
  const settings = { DATABASE: mongoose.connection.name, ORG_ID: org_id, CHUNK_ID, CHUNK_BYTES: `${bytes}`, ACTION, MOMENT };
  const dying = spawn(process.execPath, [require.resolve('../testing/dying-storage.ts')], { env: { ...process.env, ...settings } });
  expect(await once(dying, 'exit')).toEqual([null, 'SIGKILL']);
}

const moments = [
  ['between', 'between the count and the chunks', 0],
  ['uncommitted', 'before both are committed', 0],
  ['committed', 'after both are committed', 1],
] as const;

test.each(moments)('an upload whose process is killed (%s: %s) leaves as many bytes counted as stored', async (moment, _, uploads) => {
  const org_id = randomUUID();
  await storeChunks({ org_id }, [[`${org_id}/before/0`, new Uint8Array(bytes)]]);
  await killed(org_id, `${org_id}/new/0`, 'store', moment);
  expect([await usedBytes({ org_id }), await stored(org_id)]).toEqual(Array(2).fill((1 + uploads) * bytes));
});

test.each(moments)(
  'a collection of garbage whose process is killed (%s: %s) leaves as many bytes counted as stored',
  async (moment, _, deletions) => {
    const org_id = randomUUID();
    const _id = `${org_id}/old/0`;
    await storeChunks({ org_id }, [
      [_id, new Uint8Array(bytes)],
      [`${org_id}/kept/0`, new Uint8Array(bytes)],
    ]);
    const heldAt = (await chunks().findOne({ _id }))?.held_at.getTime();
    await killed(org_id, _id, `${heldAt}`, moment);
    expect([await usedBytes({ org_id }), await stored(org_id)]).toEqual(Array(2).fill((2 - deletions) * bytes));
  },
);
