import { defineGlobalModel, saveChange, saveWithRetry, unscoped } from '@webkiln/store';
import { auditedOf } from '../audit/audited-of.ts';
import { currentRequest } from './current-request.ts';
import { ownCaller } from './own-caller.ts';
import { plainTable } from './plain-table.ts';
import { type Clause, filterOf, type Table } from './table.ts';

const keptSecondsAfterRemoval = 24 * 3600;
const nothing = '-';

interface SecondFactor {
  account_id: string;
  /** Sealed by the library under AUTH_SECRET, as are the codes. */
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
    indexes: [
      [{ account_id: 1 }, { unique: true }],
      [{ removed_at: 1 }, { expireAfterSeconds: keptSecondsAfterRemoval }],
    ],
  },
);

const plain = plainTable(SecondFactorModel);

const matching = (clauses: readonly Clause[]) => unscoped(SecondFactorModel).find(filterOf(clauses), { limit: 100 });

/** Writes new backup codes and tells the log of them at once. */
const renewCodes = (clauses: readonly Clause[], changes: Partial<SecondFactor>): Promise<number> =>
  saveWithRetry(ownCaller(), async () => {
    const found = await matching(clauses);
    for (const factor of found) {
      const events = [await auditedOf(factor.account_id, 'backup_codes.renewed')];
      await saveChange(SecondFactorModel, ownCaller(), factor, { state: changes, events });
    }
    return found.length;
  });

/** The library's second factors. */
export const secondFactorTable: Table = {
  ...plain,
  change: (clauses, changes) =>
    (currentRequest.getStore()?.path === '/two-factor/generate-backup-codes' ? renewCodes : plain.change)(clauses, changes),
  /** By a mark, since an event may wait in the record; what it held is gone at once, and the account is free for another. */
  async remove(clauses) {
    const found = await matching(clauses);
    await unscoped(SecondFactorModel).updateEach(
      found.map(({ _id }) => [
        { _id },
        { $set: { account_id: `removed ${_id}`, secret: nothing, backup_codes: nothing, removed_at: new Date() } },
      ]),
    );
    return found.length;
  },
};
