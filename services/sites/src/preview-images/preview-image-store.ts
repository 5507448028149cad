import { acrossOrganizations, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';

/** Written as bytes, read as a BSON binary. */
type Bytes = Uint8Array | { readonly buffer: Uint8Array };

/** The preview image of a deploy. Its id is `project/deploy`. */
interface PreviewImage {
  _id: string;
  org_id: string;
  project_id: string;
  /** PNG. */
  image: Bytes;
  /** WebP. Images that are older than it lack it. */
  small?: Bytes;
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
    small: { type: Buffer },
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

type NewImage = Pick<PreviewImage, 'project_id' | 'image' | 'small' | 'live_at'>;

/** Stores the image of a deploy that is live at `live_at`; an existing image stays. */
export async function storeImage(tenant: Tenant, deployId: string, image: NewImage): Promise<void> {
  try {
    await scoped(PreviewImageModel, tenant).insert({ _id: idOf(image.project_id, deployId), ...image });
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

export interface ServedImage {
  readonly content: Buffer;
  readonly type: 'image/png' | 'image/webp';
}

/**
 * The image of a deploy of any organization, null if there is none; with `isSmall` the small one, if there is one. A
 * dashboard page loads it by its address, without a credential.
 */
export async function imageOf(projectId: string, deployId: string, isSmall: boolean): Promise<ServedImage | null> {
  const [owner] = await acrossOrganizations(PreviewImageModel).owners('_id', 'project_id', { _id: idOf(projectId, deployId) });
  if (owner === undefined) return null;
  const read = (field: 'image' | 'small') => scoped(PreviewImageModel, owner).findOne({ _id: owner.key }, { fields: [field] });
  const small = isSmall ? (await read('small'))?.small : undefined;
  if (small !== undefined) return { content: bytesOf(small), type: 'image/webp' };
  const found = await read('image');
  return found && { content: bytesOf(found.image), type: 'image/png' };
}

const bytesOf = (bytes: Bytes): Buffer => Buffer.from(bytes instanceof Uint8Array ? bytes : bytes.buffer);
