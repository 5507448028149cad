import mongoose from 'mongoose';

/** Leaves a request as a crash does between the write of what it made and that of its outcome. */
export async function loseOutcome(key: string): Promise<void> {
  const requests = mongoose.connection.collection<{ _id: string }>('repeatable_requests');
  const { modifiedCount } = await requests.updateOne({ _id: key }, { $unset: { outcome: true }, $set: { lease_until: new Date(0) } });
  if (modifiedCount !== 1) throw new Error('no outcome was kept for this request');
}
