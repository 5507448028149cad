import { defineGlobalModel, saveChange, saveWithRetry, unscoped } from '@webkiln/store';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import { currentRequest } from '../current-request.ts';
import { identityCaller } from '../identity-caller.ts';
import { type Clause, filterOf, plainTable, type Table } from './table.ts';

const keptSecondsAfterRemoval = 24 * 3600;
const erased = '-';

interface SecondFactor {
  account_id: string;
  /** Encrypted by the library under AUTH_SECRET, like the codes. */
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

const plain = plainTable(SecondFactorModel);

const matching = (clauses: readonly Clause[]) => unscoped(SecondFactorModel).find(filterOf(clauses), { limit: 100 });

/** Replaces the backup codes and raises the audit event in the same write. */
const renewCodes = (clauses: readonly Clause[], changes: Partial<SecondFactor>): Promise<number> =>
  saveWithRetry(identityCaller(), async () => {
    const found = await matching(clauses);
    for (const factor of found) {
      const events = [await accountAuditEvent(factor.account_id, 'backup_codes.renewed')];
      await saveChange(SecondFactorModel, identityCaller(), factor, { state: changes, events });
    }
    return found.length;
  });

/** The library's `twoFactor` model. */
export const secondFactorTable: Table = {
  ...plain,
  change: (clauses, changes) =>
    (currentRequest.getStore()?.path === '/two-factor/generate-backup-codes' ? renewCodes : plain.change)(clauses, changes),
  /**
   * Marks the record, since its outbox may hold an event. The secrets are erased at once, and the account can enroll
   * again.
   */
  async remove(clauses) {
    const found = await matching(clauses);
    await unscoped(SecondFactorModel).updateEach(
      found.map(({ _id }) => [
        { _id },
        { $set: { account_id: `removed ${_id}`, secret: erased, backup_codes: erased, removed_at: new Date() } },
      ]),
    );
    return found.length;
  },
};

export const forgetSecondFactor = (account_id: string): Promise<number> =>
  secondFactorTable.remove([{ field: 'account_id', operator: 'eq', value: account_id, connector: 'AND', mode: 'sensitive' }]);
