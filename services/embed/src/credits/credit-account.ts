import { AppError } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { FairSlots } from '@webkiln/runtime';
import { defineModel, insertChange, inTransaction, isDuplicate, type Session, scoped, type Tenant } from '@webkiln/store';
import { CreditEntryModel, type CreditEntryState } from './credit-entry-store.ts';

interface CreditAccount {
  /** The credits that further turns may use: the sum of all amounts of the ledger. */
  balance: number;
  /** Held by running turns. */
  reserved: number;
  /** The number of lines in the ledger. */
  entries: number;
}

// One record per organization, under the organization's id.
const CreditAccountModel = defineModel<CreditAccount>(
  'credit_accounts',
  {
    balance: { type: Number, required: true },
    reserved: { type: Number, required: true },
    entries: { type: Number, required: true },
  },
  { exportedAs: null },
);

/** An organization and the transaction that changes its credits. */
export type Paying = Tenant & { readonly session: Session };

/** The account as it is, or null before it was opened. */
export const creditAccount = (tenant: Tenant): Promise<CreditAccount | null> =>
  scoped(CreditAccountModel, tenant).findOne({ _id: tenant.org_id });

/** Runs the transactions of one organization's credits one after another: conflicts would only be repeated. */
const accountSlots = new FairSlots({
  ...{ slots: Number.POSITIVE_INFINITY, maxPerKey: 1, maxWaitingPerKey: 1_024, maxWaiting: 100_000, maxWaitMs: 20_000 },
  refusal: () => new AppError('overloaded'),
});

/** Runs `work` as a transaction that may change the organization's credits: see `inTransaction`. */
export const payingTransaction = <R>(
  org_id: string,
  work: (tenant: Paying) => Promise<R>,
  caller?: Pick<Caller, 'deadlineAt'>,
): Promise<R> => accountSlots.run(org_id, () => inTransaction(CreditAccountModel, (session) => work({ org_id, session }), caller));

/** Opens the account with its first credits, if it is not open yet. */
export async function openCreditAccount(org_id: string, credits: number): Promise<CreditAccount> {
  const known = await creditAccount({ org_id });
  if (known !== null) return known;
  try {
    await payingTransaction(org_id, async (tenant) => {
      await scoped(CreditAccountModel, tenant).insert({ _id: org_id, balance: 0, reserved: 0, entries: 0 });
      await addEntry(tenant, { _id: `opened:${org_id}`, kind: 'granted', amount: credits, note: 'To begin with' });
    });
  } catch (error) {
    // Another request was faster.
    if (!isDuplicate(error)) throw error;
  }
  return (await creditAccount({ org_id })) ?? { balance: 0, reserved: 0, entries: 0 };
}

type NewEntry = Pick<CreditEntryState, '_id' | 'kind' | 'amount'> & Partial<Pick<CreditEntryState, 'turn_id' | 'project_id' | 'note'>>;

interface Booking {
  readonly held?: number;
  readonly events?: readonly RaisedEvent[];
}

/**
 * Adds a line to the ledger, and its amount to the balance, in one transaction; `held` is added to what is reserved.
 * Returns the new balance. A repeat of a line's `_id` throws an error that `isDuplicate` detects.
 */
export async function addEntry(tenant: Paying, entry: NewEntry, { held = 0, events = [] }: Booking = {}): Promise<number> {
  const account = await creditAccount(tenant);
  if (account === null) throw new TypeError('credits are booked on an open account');
  const balance = account.balance + entry.amount;
  const state = { turn_id: null, project_id: null, note: null, ...entry, balance, number: account.entries + 1, created_at: new Date() };
  await scoped(CreditAccountModel, tenant).updateOne(
    { _id: tenant.org_id },
    { $inc: { balance: entry.amount, reserved: held, entries: 1 } },
  );
  await insertChange(CreditEntryModel, tenant, new Change(state, events));
  return balance;
}
