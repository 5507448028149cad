import { acrossOrganizations, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';

/** The preview image of a deploy, a PNG. Its id is `project/deploy`. */
interface PreviewImage {
  _id: string;
  org_id: string;
  project_id: string;
  /** Written as bytes, read as a BSON binary. */
  image: Uint8Array | { readonly buffer: Uint8Array };
  /** When its deploy was last known to be live. */
  live_at: Date;
  /** When it expires; absent while it is shown. */
  drop_at?: Date;
}

/** How long a replaced image stays available to callers that have already read its address. */
const replacedGraceMs = 10 * 60_000;

export const PreviewImageModel = defineModel<PreviewImage>(
  'preview_images',
  {
    project_id: { type: String, required: true },
    image: { type: Buffer, required: true },
    live_at: { type: Date, required: true },
    drop_at: Date,
  },
  {
    ofProject: 'project_id',
    exportedAs: null,
    indexes: [[{ org_id: 1, project_id: 1 }]],
    indexesAcross: [[{ drop_at: 1 }, { expireAfterSeconds: 0 }]],
  },
);

const idOf = (projectId: string, deployId: string) => `${projectId}/${deployId}`;
const graceEnd = () => new Date(Date.now() + replacedGraceMs);

/** Marks the deploy's image as live at `live_at`. False if it has none. */
export async function keepImage(tenant: Tenant, projectId: string, deployId: string, live_at: Date): Promise<boolean> {
  const kept = { $set: { live_at }, $unset: { drop_at: true } } as const;
  return (await scoped(PreviewImageModel, tenant).updateOne({ _id: idOf(projectId, deployId) }, kept)).matchedCount > 0;
}

/** Stores the image of a deploy that is live at `live_at`; an existing image stays. */
export async function storeImage(tenant: Tenant, project_id: string, deployId: string, image: Uint8Array, live_at: Date): Promise<void> {
  try {
    await scoped(PreviewImageModel, tenant).insert({ _id: idOf(project_id, deployId), project_id, image, live_at });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** Lets the image of a deploy expire after the grace period. */
export async function replaceImage(tenant: Tenant, projectId: string, deployId: string): Promise<void> {
  await scoped(PreviewImageModel, tenant).updateOne({ _id: idOf(projectId, deployId) }, { $set: { drop_at: graceEnd() } });
}

/** Lets the images of deploys that were live before `live_at` expire after the grace period. */
export async function replaceImagesBefore(tenant: Tenant, project_id: string, live_at: Date): Promise<void> {
  const before = { project_id, live_at: where({ $lt: live_at }), drop_at: where<Date | undefined>({ $exists: false }) };
  await scoped(PreviewImageModel, tenant).updateMany(before, { $set: { drop_at: graceEnd() } });
}

/** Deletes the images of a deleted project. */
export async function dropImages(tenant: Tenant, projectId: string): Promise<void> {
  await scoped(PreviewImageModel, tenant).deleteMany({ project_id: projectId });
}

/**
 * The image of a deploy of any organization, null if there is none. A dashboard page loads it by its address, without a
 * credential.
 */
export async function imageOf(projectId: string, deployId: string): Promise<Buffer | null> {
  const [owner] = await acrossOrganizations(PreviewImageModel).owners('_id', 'project_id', { _id: idOf(projectId, deployId) });
  if (owner === undefined) return null;
  const found = await scoped(PreviewImageModel, owner).findOne({ _id: owner.key }, { fields: ['image'] });
  if (found === null) return null;
  return Buffer.from(found.image instanceof Uint8Array ? found.image : found.image.buffer);
}
