import mongoose from 'mongoose';
import { ChunkModel } from './chunk-store.ts';
import { ManifestModel } from './manifest-store.ts';

/** The organizations that have manifests or chunks held before that moment; what follows is done for each by itself. */
export async function organizationsWithHeldFiles(before: Date): Promise<Set<string>> {
  // Any org_id, named so that the index is used, which has only what is held.
  const held = { org_id: { $gt: '' }, held_at: { $lt: before } };
  const organizations = await Promise.all(
    [ManifestModel, ChunkModel].map(({ collection }) =>
      mongoose.connection.collection<{ org_id: string }>(collection).distinct('org_id', held),
    ),
  );
  return new Set(organizations.flat());
}
