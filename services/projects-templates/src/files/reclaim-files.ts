import { scoped, type Tenant, where } from '@webkiln/store';
import { ProjectModel } from '../projects/project-store.ts';
import { TemplateModel } from '../templates/template-store.ts';
import { ChunkModel, holdChunks } from './chunk-store.ts';
import { ManifestModel } from './manifest-store.ts';
import { organizationsWithHeldFiles } from './reclaim-store.ts';

const atOnce = 500;

/**
 * Deletes manifests that no draft, deploy or template refers to, and chunks that no manifest refers to.
 *
 * The rule: who drops a reference first holds what it refers to (`held_at` = now). Who makes one has read another reference to the same
 * in this call, or holds it, or stores it anew where there is nothing to hold. Either acts within the deadline of its call or not at all
 * (`assertInTime`), and the grace time is far longer than two deadlines. What has been held for longer than the grace time is settled
 * here: unheld if it is referred to, else deleted; both only if `held_at` is still what was read before the references were looked up.
 *
 * Nothing in use is lost. A reference that the look-up missed was made after it. If its maker held the target: after our reading of
 * `held_at`, and the delete does not match; before, and that was a moment ago, not the grace time; after the delete, and he found
 * nothing to hold. If he had read another reference, that was gone at the look-up: who dropped it held the target two deadlines before
 * at most, so again `held_at` is young or has moved.
 *
 * Nothing is forgotten. What loses its last reference after the look-up was held before that by less than a deadline, so that it is
 * still held, and settled another time.
 */
export async function reclaimFiles(graceMs: number): Promise<void> {
  const before = new Date(Date.now() - graceMs);
  for (const org_id of await organizationsWithHeldFiles(before)) {
    while ((await settleManifests({ org_id }, before)) === atOnce);
    while ((await settleChunks({ org_id }, before)) === atOnce);
  }
}

async function settleManifests(tenant: Tenant, before: Date): Promise<number> {
  const manifests = scoped(ManifestModel, tenant);
  const held = await manifests.find({ held_at: where({ $lt: before }) }, { fields: ['held_at'], limit: atOnce });
  for (const { _id, held_at } of held) {
    const user =
      (await scoped(ProjectModel, tenant).findOne({ draft_manifest_id: _id }, { fields: [] })) ??
      (await scoped(ProjectModel, tenant).findOne({ deploy_manifest_ids: _id }, { fields: [] })) ??
      (await scoped(TemplateModel, tenant).findOne({ manifest_id: _id }, { fields: [] }));
    if (user === null) await deleteManifest(tenant, { _id, held_at });
    else await manifests.updateOne({ _id, held_at }, { $unset: { held_at: true } });
  }
  return held.length;
}

async function deleteManifest(tenant: Tenant, unchanged: { _id: string; held_at?: Date }): Promise<void> {
  const manifest = await scoped(ManifestModel, tenant).findOne(unchanged, { fields: ['chunks'] });
  if (manifest === null) return;
  await holdChunks(tenant, manifest.chunks);
  await scoped(ManifestModel, tenant).deleteOne(unchanged);
}

async function settleChunks(tenant: Tenant, before: Date): Promise<number> {
  const chunks = scoped(ChunkModel, tenant);
  const held = await chunks.find({ held_at: where({ $lt: before }) }, { fields: ['held_at'], limit: atOnce });
  for (const { _id, held_at } of held) {
    const user = await scoped(ManifestModel, tenant).findOne({ chunks: _id }, { fields: [] });
    if (user === null) await chunks.deleteOne({ _id, held_at });
    else await chunks.updateOne({ _id, held_at }, { $unset: { held_at: true } });
  }
  return held.length;
}
