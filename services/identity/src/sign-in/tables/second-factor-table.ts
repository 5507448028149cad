import type { SecretList } from '@webkiln/runtime';
import { saveChange, saveWithRetry, unscoped } from '@webkiln/store';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import { currentRequest } from '../current-request.ts';
import { identityCaller } from '../identity-caller.ts';
import { resealFactor } from './second-factor-seals.ts';
import { type SecondFactor, SecondFactorModel } from './second-factor-store.ts';
import { type Clause, filterOf, plainTable, type Row, type Table } from './table.ts';

const erased = '-';

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

/**
 * Marks the record, since its outbox may hold an event. The secrets are erased at once, and the account can enroll
 * again.
 */
async function removeFactors(clauses: readonly Clause[]): Promise<number> {
  const found = await matching(clauses);
  await unscoped(SecondFactorModel).updateEach(
    found.map(({ _id }) => [
      { _id },
      { $set: { account_id: `removed ${_id}`, secret: erased, backup_codes: erased, removed_at: new Date() } },
    ]),
  );
  return found.length;
}

/** The library's `twoFactor` model. */
export const secondFactorTable = (secrets: SecretList): Table => ({
  ...plain,
  find: async (...query) => Promise.all((await plain.find(...query)).map((row) => resealFactor(secrets, row as Row & SecondFactor))),
  change: (clauses, changes) =>
    (currentRequest.getStore()?.path === '/two-factor/generate-backup-codes' ? renewCodes : plain.change)(clauses, changes),
  remove: removeFactors,
});

export const forgetSecondFactor = (account_id: string): Promise<number> =>
  removeFactors([{ field: 'account_id', operator: 'eq', value: account_id, connector: 'AND', mode: 'sensitive' }]);
