import mongoose from 'mongoose';

/** Puts a request into the state after a crash between its own write and the write of its outcome. */
export async function loseOutcome(key: string): Promise<void> {
  const requests = mongoose.connection.collection<{ _id: string }>('repeatable_requests');
  const { modifiedCount } = await requests.updateOne({ _id: key }, { $unset: { outcome: true }, $set: { lease_until: new Date(0) } });
  if (modifiedCount !== 1) throw new Error('no stored outcome for this request');
}
