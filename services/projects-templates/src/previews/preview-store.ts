import { acrossOrganizations, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import { type PreviewToken, previewTokenHash } from './preview-token.ts';

/** An issued token. */
interface Preview {
  /** The token's hash. */
  _id: string;
  org_id: string;
  project_id: string;
  /** The revision or deploy that it shows; null for the draft. */
  version_id: string | null;
  expires_at: Date;
}

const PreviewModel = defineModel<Preview>(
  'previews',
  {
    project_id: { type: String, required: true },
    version_id: { type: String, default: null },
    expires_at: { type: Date, required: true },
  },
  { ofProject: 'project_id', exportedAs: null, indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Stores the token unless it is stored already. Safe to call concurrently. */
export async function savePreview(
  tenant: Tenant,
  shown: Pick<Preview, 'project_id' | 'version_id'>,
  { token, expiresAt }: PreviewToken,
): Promise<void> {
  const previews = scoped(PreviewModel, tenant);
  const _id = previewTokenHash(token);
  if ((await previews.findOne({ _id }, { fields: [] })) !== null) return;
  try {
    await previews.insert({ _id, ...shown, expires_at: expiresAt });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** The preview with this token, in any organization. Null if the token is unknown or expired. */
export async function findPreview(token: string, now: Date): Promise<Preview | null> {
  const _id = previewTokenHash(token);
  const [owner] = await acrossOrganizations(PreviewModel).owners('_id', 'expires_at', { _id });
  if (owner === undefined) return null;
  return scoped(PreviewModel, owner).findOne({ _id, expires_at: where({ $gt: now }) });
}
