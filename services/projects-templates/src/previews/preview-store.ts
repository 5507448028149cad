import { acrossOrganizations, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import { type PreviewToken, previewTokenHash } from './preview-token.ts';

/** A token that is out, by its hash. */
interface Preview {
  _id: string;
  org_id: string;
  project_id: string;
  expires_at: Date;
}

export const PreviewModel = defineModel<Preview>(
  'previews',
  { project_id: { type: String, required: true }, expires_at: { type: Date, required: true } },
  { indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Makes sure that the token leads to the project; of several who do so one writes. */
export async function keepPreview(tenant: Tenant, project_id: string, { token, expiresAt }: PreviewToken): Promise<void> {
  const previews = scoped(PreviewModel, tenant);
  const _id = previewTokenHash(token);
  if ((await previews.findOne({ _id }, { fields: [] })) !== null) return;
  try {
    await previews.insert({ _id, project_id, expires_at: expiresAt });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** Where a token leads to, whosever it is; null where there is none such, or its time is over. */
export async function previewOf(token: string, now: Date): Promise<Preview | null> {
  const _id = previewTokenHash(token);
  const [owner] = await acrossOrganizations(PreviewModel).owners('_id', 'expires_at', { _id });
  if (owner === undefined) return null;
  return scoped(PreviewModel, owner).findOne({ _id, expires_at: where({ $gt: now }) });
}
