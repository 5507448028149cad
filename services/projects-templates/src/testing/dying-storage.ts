/** A process for tests: stores or deletes a chunk, and kills itself (SIGKILL) at a moment of the transaction. */
import { connectStore } from '@webkiln/store';
import mongoose from 'mongoose';
import { storeChunks } from '../files/chunk-store.ts';
import { deleteChunks } from '../files/garbage-collection.ts';

const { MONGODB_URL = '', DATABASE = '', ORG_ID = '', CHUNK_ID = '', CHUNK_BYTES = '', ACTION = '', MOMENT = '' } = process.env;

const { Collection, ClientSession } = mongoose.mongo;
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('not reached');
};

/** The count is written first, then the chunks. */
function dieAt(moment: string): void {
  const { commitTransaction } = ClientSession.prototype;
  if (moment === 'between') Object.assign(Collection.prototype, { bulkWrite: die, deleteMany: die });
  if (moment === 'uncommitted') ClientSession.prototype.commitTransaction = die;
  if (moment === 'committed') {
    ClientSession.prototype.commitTransaction = async function commitAndDie(this: InstanceType<typeof ClientSession>) {
      await commitTransaction.call(this);
      die();
    };
  }
}

await connectStore(MONGODB_URL, DATABASE);
dieAt(MOMENT);
if (ACTION === 'store') await storeChunks({ org_id: ORG_ID }, [[CHUNK_ID, new Uint8Array(Number(CHUNK_BYTES))]]);
else await deleteChunks({ org_id: ORG_ID }, [{ _id: CHUNK_ID, held_at: new Date(Number(ACTION)) }]);
process.exit(0);
