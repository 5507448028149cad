import { handle } from '@webkiln/rpc';
import { openCreditAccount } from './credit-account.ts';
import { toCreditEntry } from './credit-entry.ts';
import { creditEntries } from './credit-entry-store.ts';

export const getCredits = (signUpCredits: number) =>
  handle('credits.GetCredits', async (page, caller) => {
    const { balance, reserved } = await openCreditAccount(caller.principal.org_id, signUpCredits);
    const { records, total, next_cursor } = await creditEntries(caller, page);
    return { balance, reserved, entries: records.map(toCreditEntry), total, next_cursor };
  });
