import { acrossOrganizations, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';

/** The picture of a deploy, a PNG; its id says of which: `project/deploy`. */
interface PreviewImage {
  _id: string;
  org_id: string;
  project_id: string;
  /** Written as bytes; read as MongoDB's form of them. */
  image: Uint8Array | { readonly buffer: Uint8Array };
  /** When it was last known to be of what is live. */
  live_at: Date;
  /** When it goes; absent as long as it is shown. */
  drop_at?: Date;
}

/** For how long a picture may be asked for by somebody who has read of it before it was replaced. */
const replacedKeptMs = 10 * 60_000;

export const PreviewImageModel = defineModel<PreviewImage>(
  'preview_images',
  {
    project_id: { type: String, required: true },
    image: { type: Buffer, required: true },
    live_at: { type: Date, required: true },
    drop_at: Date,
  },
  { indexes: [[{ org_id: 1, project_id: 1 }]], indexesAcross: [[{ drop_at: 1 }, { expireAfterSeconds: 0 }]] },
);

const idOf = (projectId: string, deployId: string) => `${projectId}/${deployId}`;
const inAWhile = () => new Date(Date.now() + replacedKeptMs);

/** The deploy is live at this moment: its picture stays. False where it has none. */
export async function keepImage(tenant: Tenant, projectId: string, deployId: string, live_at: Date): Promise<boolean> {
  const kept = { $set: { live_at }, $unset: { drop_at: true } } as const;
  return (await scoped(PreviewImageModel, tenant).updateOne({ _id: idOf(projectId, deployId) }, kept)).matchedCount > 0;
}

/** Stores the picture of a deploy that is live at this moment; one that is there already stays. */
export async function storeImage(tenant: Tenant, project_id: string, deployId: string, image: Uint8Array, live_at: Date): Promise<void> {
  try {
    await scoped(PreviewImageModel, tenant).insert({ _id: idOf(project_id, deployId), project_id, image, live_at });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** Has the picture of a deploy go in a while. */
export async function replaceImage(tenant: Tenant, projectId: string, deployId: string): Promise<void> {
  await scoped(PreviewImageModel, tenant).updateOne({ _id: idOf(projectId, deployId) }, { $set: { drop_at: inAWhile() } });
}

/** Has the pictures go in a while that are of what was live before. */
export async function replaceImagesBefore(tenant: Tenant, project_id: string, live_at: Date): Promise<void> {
  const before = { project_id, live_at: where({ $lt: live_at }), drop_at: where<Date | undefined>({ $exists: false }) };
  await scoped(PreviewImageModel, tenant).updateMany(before, { $set: { drop_at: inAWhile() } });
}

/** Of a project that is gone. */
export async function dropImages(tenant: Tenant, projectId: string): Promise<void> {
  await scoped(PreviewImageModel, tenant).deleteMany({ project_id: projectId });
}

/** The picture of a deploy, whosever it is: whoever shows a dashboard has its address, and no credential. Null where there is none. */
export async function imageOf(projectId: string, deployId: string): Promise<Buffer | null> {
  const [owner] = await acrossOrganizations(PreviewImageModel).owners('_id', 'project_id', { _id: idOf(projectId, deployId) });
  if (owner === undefined) return null;
  const found = await scoped(PreviewImageModel, owner).findOne({ _id: owner.key }, { fields: ['image'] });
  if (found === null) return null;
  return Buffer.from(found.image instanceof Uint8Array ? found.image : found.image.buffer);
}
