import mongoose from 'mongoose';
import { reclaimFiles } from '../files/reclaim-files.ts';

const graceMs = 600_000;
const collections = ['manifests', 'blob_chunks'];

/** A sweep as it runs in a service. */
export const sweep = () => reclaimFiles(graceMs);

/** As if all that is held, or what is held of one organization, had been held for longer than the grace time. */
export async function age(org_id?: string): Promise<void> {
  const held = { held_at: { $exists: true }, ...(org_id !== undefined && { org_id }) };
  const earlier = [{ $set: { held_at: { $subtract: ['$held_at', graceMs + 1000] } } }];
  await Promise.all(collections.map((collection) => mongoose.connection.collection(collection).updateMany(held, earlier)));
}

/** Sweeps until everything that is held now, and what that puts in doubt, is settled. */
export async function settle(): Promise<void> {
  for (let step = 0; step < 3; step++) {
    await age();
    await sweep();
  }
}

/** How many manifests and chunks an organization has, and how many of them are held. */
export async function storedOf(org_id: string): Promise<{ manifests: number; chunks: number; held: number }> {
  const count = (collection: string, more = {}) => mongoose.connection.collection(collection).countDocuments({ org_id, ...more });
  const [manifests = 0, chunks = 0] = await Promise.all(collections.map((collection) => count(collection)));
  const held = await Promise.all(collections.map((collection) => count(collection, { held_at: { $exists: true } })));
  return { manifests, chunks, held: held.reduce((sum, some) => sum + some) };
}
