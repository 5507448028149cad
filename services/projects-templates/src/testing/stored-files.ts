import { hash } from 'node:crypto';
import mongoose from 'mongoose';
import { collectGarbage } from '../files/garbage-collection.ts';

const graceMs = 600_000;
const collections = ['manifests', 'blob_chunks'];

export const sweep = () => collectGarbage(graceMs);

/** Expires all leases, or those of one organization. */
export async function expireLeases(org_id?: string): Promise<void> {
  const leased = { held_at: { $exists: true }, ...(org_id !== undefined && { org_id }) };
  const earlier = [{ $set: { held_at: { $subtract: ['$held_at', graceMs + 1000] } } }];
  await Promise.all(collections.map((collection) => mongoose.connection.collection(collection).updateMany(leased, earlier)));
}

/** Sweeps until all current leases, and those that the sweeps renew, are gone. */
export async function collectAllGarbage(): Promise<void> {
  for (let step = 0; step < 3; step++) {
    await expireLeases();
    await sweep();
  }
}

/** True if the organization has a stored file with this text. */
export const isStored = async (org_id: string, text: string): Promise<boolean> =>
  (await mongoose.connection.collection<{ _id: string }>('blob_chunks').countDocuments({ _id: `${org_id}/${hash('sha256', text)}/0` })) ===
  1;

/** Counts the manifests and chunks of an organization, and how many of both are leased. */
export async function countStored(org_id: string): Promise<{ manifests: number; chunks: number; leased: number }> {
  const count = (collection: string, more = {}) => mongoose.connection.collection(collection).countDocuments({ org_id, ...more });
  const [manifests = 0, chunks = 0] = await Promise.all(collections.map((collection) => count(collection)));
  const leased = await Promise.all(collections.map((collection) => count(collection, { held_at: { $exists: true } })));
  return { manifests, chunks, leased: leased.reduce((sum, some) => sum + some) };
}
