import { defineGlobalModel, unscoped } from '@webkiln/store';
import { type Clause, filterOf } from './table.ts';

const keptSecondsAfterRemoval = 24 * 3600;
const erased = '-';

export interface SecondFactor {
  account_id: string;
  /** Encrypted by the library under the first AUTH_SECRET, like the codes. */
  secret: string;
  backup_codes: string;
  verified: boolean;
  failed_verification_count: number;
  locked_until: Date | null;
  removed_at: Date | null;
}

// Global: one per account.
export const SecondFactorModel = defineGlobalModel<SecondFactor>(
  'second_factors',
  {
    account_id: { type: String, required: true },
    secret: { type: String, required: true },
    backup_codes: { type: String, required: true },
    verified: { type: Boolean, required: true },
    failed_verification_count: { type: Number, default: 0 },
    locked_until: { type: Date, default: null },
    removed_at: { type: Date, default: null },
  },
  {
    raisesEvents: true,
    indexes: [
      [{ account_id: 1 }, { unique: true }],
      [{ removed_at: 1 }, { expireAfterSeconds: keptSecondsAfterRemoval }],
    ],
  },
);

export const matchingFactors = (clauses: readonly Clause[]) => unscoped(SecondFactorModel).find(filterOf(clauses), { limit: 100 });

/**
 * Marks the record, since its outbox may hold an event. The secrets are erased at once, and the account can enroll
 * again.
 */
export async function removeFactors(clauses: readonly Clause[]): Promise<number> {
  const found = await matchingFactors(clauses);
  await unscoped(SecondFactorModel).updateEach(
    found.map(({ _id }) => [
      { _id },
      { $set: { account_id: `removed ${_id}`, secret: erased, backup_codes: erased, removed_at: new Date() } },
    ]),
  );
  return found.length;
}

export const forgetSecondFactor = (account_id: string): Promise<number> =>
  removeFactors([{ field: 'account_id', operator: 'eq', value: account_id, connector: 'AND', mode: 'sensitive' }]);
