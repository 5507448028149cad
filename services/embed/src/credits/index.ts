import { AppError } from '@webkiln/contract';
import { auditEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { isDuplicate, newId } from '@webkiln/store';
import { addEntry, creditAccount, openCreditAccount, type Paying, payingTransaction } from './credit-account.ts';
import { creditEntries, toCreditEntry } from './credit-entry-store.ts';

const getCredits = (signUpCredits: number) =>
  handle('credits.GetCredits', async (page, caller) => {
    const { balance, reserved } = await openCreditAccount(caller.principal.org_id, signUpCredits);
    const { records, total, next_cursor } = await creditEntries(caller, page);
    return { balance, reserved, entries: records.map(toCreditEntry), total, next_cursor };
  });

const maxGrant = 1_000_000_000;
const maxNoteLength = 200;

/** An operator adds credits, or takes some back. A repeat of the request grants nothing more. */
const grantCredits = (signUpCredits: number) =>
  handle('credits.GrantCredits', async ({ credits, note }, caller) => {
    const { org_id } = caller.principal;
    await openCreditAccount(org_id, signUpCredits);
    const entry = { _id: newId(caller), kind: 'granted' as const, amount: credits, note: note?.slice(0, maxNoteLength) ?? null };
    const grant = async (tenant: Paying) => {
      const before = (await creditAccount(tenant))?.balance ?? 0;
      assertGrantable(credits, before);
      return addEntry(tenant, entry, {
        events: [auditEvent(caller, 'credits.granted', { kind: 'organization', id: org_id, name: amountText(credits) })],
      });
    };
    try {
      return { balance: await payingTransaction(org_id, grant, caller) };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return { balance: (await creditAccount({ org_id }))?.balance ?? 0 };
    }
  });

const amountText = (credits: number) => `${credits} credits`;

function assertGrantable(credits: number, balance: number): void {
  const refuse = (message: string) => new AppError('validation_failed', [{ path: 'credits', message }]);
  if (credits === 0 || Math.abs(credits) > maxGrant) throw refuse(`must be a whole number up to ${maxGrant}, and not 0`);
  if (balance + credits < 0) throw refuse(`must not take more than the ${balance} credits that are there`);
  if (balance + credits > maxGrant) throw refuse(`must not make more than ${maxGrant} credits`);
}

/** `signUpCredits`: what an organization begins with. */
export const creditUseCases = (signUpCredits: number) => [getCredits(signUpCredits), grantCredits(signUpCredits)];
