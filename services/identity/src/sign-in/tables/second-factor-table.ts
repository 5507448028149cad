import { Change } from '@webkiln/messages';
import type { SecretList } from '@webkiln/runtime';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import { currentRequest } from '../current-request.ts';
import { identityCaller } from '../identity-caller.ts';
import { resealFactor } from './second-factor-seals.ts';
import { matchingFactors, removeFactors, type SecondFactor, SecondFactorModel } from './second-factor-store.ts';
import { type Clause, plainTable, type Row, type Table } from './table.ts';

const plain = plainTable(SecondFactorModel);

/** Replaces the backup codes and raises the audit event in the same write. */
const renewCodes = (clauses: readonly Clause[], changes: Partial<SecondFactor>): Promise<number> =>
  saveWithRetry(identityCaller(), async () => {
    const found = await matchingFactors(clauses);
    for (const factor of found) {
      const events = [await accountAuditEvent(factor.account_id, 'backup_codes.renewed')];
      await saveChange(SecondFactorModel, identityCaller(), factor, new Change(changes, events));
    }
    return found.length;
  });

/** The library's `twoFactor` model. */
export const secondFactorTable = (secrets: SecretList): Table => ({
  ...plain,
  find: async (...query) => Promise.all((await plain.find(...query)).map((row) => resealFactor(secrets, row as Row & SecondFactor))),
  change: (clauses, changes) =>
    (currentRequest.getStore()?.path === '/two-factor/generate-backup-codes' ? renewCodes : plain.change)(clauses, changes),
  remove: removeFactors,
});
