import type { QuotaLimits } from '@webkiln/messages';
import { batchedById, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import mongoose from 'mongoose';

/** The decisions of operators about an organization. */
export interface Standing {
  /** The revision of the organization's record at identity: orders the changes. */
  readonly version: number;
  readonly suspended_at: Date | null;
  readonly limits: QuotaLimits;
}

/** A service's copy, `_id` is the organization's. One exists only once an operator has decided something. */
interface StoredStanding extends Standing {
  _id: string;
  org_id: string;
}

export const StandingModel = defineModel<StoredStanding>(
  'organization_standings',
  {
    version: { type: Number, required: true },
    suspended_at: { type: Date, default: null },
    limits: { type: mongoose.Schema.Types.Mixed, required: true },
  },
  { exportedAs: null },
);

const byId = batchedById(StandingModel);

export const storedStanding = (org_id: string): Promise<Standing | null> => byId({ org_id }, org_id);

/** Stores a change unless a later one is stored. */
export async function storeStanding({ org_id }: Tenant, standing: Standing): Promise<void> {
  const copies = scoped(StandingModel, { org_id });
  const older = { _id: org_id, version: where<number>({ $lt: standing.version }) };
  try {
    await copies.updateOne(older, { $set: standing }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
    // There is a copy: of a later change, or of an earlier one that was inserted at the same time.
    await copies.updateOne(older, { $set: standing });
  }
}
