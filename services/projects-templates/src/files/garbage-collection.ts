import { runPeriodically } from '@webkiln/runtime';
import { scoped, type Tenant, where } from '@webkiln/store';
import { OverlayModel } from '../drafts/overlay-store.ts';
import { ProjectModel } from '../projects/project-store.ts';
import { TemplateModel } from '../templates/template-store.ts';
import { ChunkModel, leaseChunks, uncountedChunks } from './chunk-store.ts';
import { ManifestModel, organizationsWithExpiredLeases } from './manifest-store.ts';
import { expectRelease, sweepsPerGracePeriod } from './stored-bytes.ts';
import { addBytes, changeStored } from './stored-bytes-store.ts';

const batchSize = 500;

/**
 * Sweeps periodically and returns how to stop. A sweep may be cut off anywhere: the next one, of any replica,
 * continues.
 */
export function startGarbageCollection(graceMs: number): () => void {
  expectRelease(graceMs);
  return runPeriodically({ everyMs: graceMs / sweepsPerGracePeriod, name: 'garbage collection of files' }, () => collectGarbage(graceMs));
}

/**
 * Runs one sweep: deletes manifests that no draft, draft revision, running turn, deploy or template references, and
 * chunks that no manifest references.
 *
 * A lease protects a manifest or chunk for the grace period. `held_at` is the time of its last renewal. The protocol:
 * - A call that drops a reference first renews the target's lease.
 * - A call that adds a reference has read another reference to the target, renewed the target's lease, or stored the
 *   target anew because there was nothing to lease.
 * - Both write within the deadline of their call or not at all (`assertBeforeDeadline`). The grace period is far longer
 *   than two deadlines.
 * - A sweep looks up the references of each target whose lease has expired. If there is one, it removes the lease; if
 *   not, it deletes the target. Both happen only if `held_at` is unchanged since the sweep read it.
 *
 * Nothing in use is deleted. A reference that the lookup missed was added after the lookup:
 * - If its call renewed the lease after the sweep read `held_at`, the delete does not match. If it renewed it before,
 *   the lease had not expired. If it tried after the delete, it found nothing to lease and stored the target anew.
 * - If its call had read another reference, that one no longer existed at the lookup. The call that dropped it renewed
 *   the lease at most two deadlines ago, so the lease had not expired or `held_at` has changed.
 *
 * Nothing is leaked. A target that loses its last reference after the lookup was leased less than a deadline before. It
 * keeps that lease, and a later sweep deletes it.
 */
export async function collectGarbage(graceMs: number): Promise<void> {
  await countEarlierChunks();
  const expiredBefore = new Date(Date.now() - graceMs);
  for (const org_id of await organizationsWithExpiredLeases(expiredBefore)) {
    while ((await sweepManifests({ org_id }, expiredBefore)) === batchSize);
    while ((await sweepChunks({ org_id }, expiredBefore)) === batchSize);
  }
}

async function sweepManifests(tenant: Tenant, expiredBefore: Date): Promise<number> {
  const manifests = scoped(ManifestModel, tenant);
  const expired = await manifests.find({ held_at: where({ $lt: expiredBefore }) }, { fields: ['held_at'], limit: batchSize });
  for (const { _id, held_at } of expired) {
    const reference =
      (await scoped(ProjectModel, tenant).findOne({ draft_manifest_id: _id }, { fields: [] })) ??
      (await scoped(ProjectModel, tenant).findOne({ draft_revision_manifest_ids: _id }, { fields: [] })) ??
      (await scoped(ProjectModel, tenant).findOne({ deploy_manifest_ids: _id }, { fields: [] })) ??
      (await scoped(TemplateModel, tenant).findOne({ manifest_id: _id }, { fields: [] }));
    if (reference === null && (await scoped(OverlayModel, tenant).findOne({ manifest_id: _id }, { fields: [] })) !== null) {
      // An overlay ends by itself, without a call that could lease its manifest.
      await manifests.updateOne({ _id, held_at }, { $set: { held_at: new Date() } });
    } else if (reference === null) await deleteManifest(tenant, { _id, held_at });
    else await manifests.updateOne({ _id, held_at }, { $unset: { held_at: true } });
  }
  return expired.length;
}

async function deleteManifest(tenant: Tenant, unchanged: { _id: string; held_at?: Date }): Promise<void> {
  const manifest = await scoped(ManifestModel, tenant).findOne(unchanged, { fields: ['chunks'] });
  if (manifest === null) return;
  await leaseChunks(tenant, manifest.chunks);
  await changeStored(tenant, async (changing) => {
    const found = await scoped(ManifestModel, changing).findOne(unchanged, { fields: ['size', 'joined'] });
    if (found === null) return;
    if (found.size) await addBytes(changing, { used: -found.size, joined: found.joined === true ? -found.size : 0 });
    await scoped(ManifestModel, changing).deleteOne(unchanged);
  });
}

async function sweepChunks(tenant: Tenant, expiredBefore: Date): Promise<number> {
  const chunks = scoped(ChunkModel, tenant);
  const expired = await chunks.find({ held_at: where({ $lt: expiredBefore }) }, { fields: ['held_at'], limit: batchSize });
  const unused: typeof expired = [];
  for (const { _id, held_at, ...chunk } of expired) {
    const reference = await scoped(ManifestModel, tenant).findOne({ chunks: _id }, { fields: [] });
    if (reference === null) unused.push({ _id, held_at, ...chunk });
    else await chunks.updateOne({ _id, held_at }, { $unset: { held_at: true } });
  }
  await deleteChunks(tenant, unused);
  return expired.length;
}

/** Chunks of one transaction. */
const chunksAtOnce = 100;

/** Deletes those of these chunks whose lease is unchanged, and gives back their bytes. */
export async function deleteChunks(tenant: Tenant, chunks: readonly { _id: string; held_at?: Date }[]): Promise<void> {
  for (let at = 0; at < chunks.length; at += chunksAtOnce) {
    const leases = new Map(chunks.slice(at, at + chunksAtOnce).map(({ _id, held_at }) => [_id, held_at?.getTime()]));
    await changeStored(tenant, async (changing) => {
      const found = await scoped(ChunkModel, changing).find(
        { _id: where({ $in: [...leases.keys()] }) },
        { fields: ['held_at', 'size', 'joined'] },
      );
      const unchanged = found.filter(({ _id, held_at }) => held_at?.getTime() === leases.get(_id));
      if (unchanged.length === 0) return;
      const joined = unchanged.filter((chunk) => chunk.joined === true);
      await addBytes(changing, { used: -sum(unchanged), joined: -sum(joined) });
      await scoped(ChunkModel, changing).deleteMany({ _id: where({ $in: unchanged.map(({ _id }) => _id) }) });
    });
  }
}

/**
 * Counts the chunks that earlier versions stored. An organization may store more than its limit until they are counted,
 * but nothing after that.
 */
async function countEarlierChunks(): Promise<void> {
  for (let batch = await uncountedChunks(chunksAtOnce); batch !== null; batch = await uncountedChunks(chunksAtOnce)) {
    const { org_id, sizes } = batch;
    await changeStored({ org_id }, async (changing) => {
      const chunks = scoped(ChunkModel, changing);
      const found = await chunks.find({ _id: where({ $in: [...sizes.keys()] }) }, { fields: ['size'] });
      const counted = found.flatMap(({ _id, size }) => (size === undefined ? [{ _id, size: sizes.get(_id) ?? 0 }] : []));
      await addBytes(changing, { used: sum(counted), joined: 0 });
      await chunks.updateEach(counted.map(({ _id, size }) => [{ _id }, { $set: { size } }]));
    });
  }
}

const sum = (chunks: readonly { size?: number }[]) => chunks.reduce((bytes, { size = 0 }) => bytes + size, 0);
