import type { QuotaLimits } from '@webkiln/messages';
import { batchedById, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import mongoose from 'mongoose';

/** The decisions of operators about an organization. */
export interface OrgPolicy {
  /** The revision of the organization's record at identity: orders the changes. */
  readonly version: number;
  readonly suspended_at: Date | null;
  readonly limits: QuotaLimits;
}

/** A service's copy, `_id` is the organization's. One exists only once an operator has decided something. */
interface StoredOrgPolicy extends OrgPolicy {
  _id: string;
  org_id: string;
}

// Collection and consumers keep the names under which they are stored.
export const OrgPolicyModel = defineModel<StoredOrgPolicy>(
  'organization_standings',
  {
    version: { type: Number, required: true },
    suspended_at: { type: Date, default: null },
    limits: { type: mongoose.Schema.Types.Mixed, required: true },
  },
  { exportedAs: null },
);

const byId = batchedById(OrgPolicyModel);

export const storedOrgPolicy = (org_id: string): Promise<OrgPolicy | null> => byId({ org_id }, org_id);

/** Stores a change unless a later one is stored. */
export async function storeOrgPolicy({ org_id }: Tenant, policy: OrgPolicy): Promise<void> {
  const copies = scoped(OrgPolicyModel, { org_id });
  const older = { _id: org_id, version: where<number>({ $lt: policy.version }) };
  try {
    await copies.updateOne(older, { $set: policy }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
    // There is a copy: of a later change, or of an earlier one that was inserted at the same time.
    await copies.updateOne(older, { $set: policy });
  }
}
