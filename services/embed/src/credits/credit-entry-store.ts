import { coalescedPage, defineModel, definitionOf, type Page, type Scope } from '@webkiln/store';
import { type CreditEntryState, StoredCreditEntry } from './credit-entry.ts';

export const CreditEntryModel = defineModel<CreditEntryState>(
  'credit_entries',
  { ...definitionOf(StoredCreditEntry), number: { type: Number, required: true } },
  { ofProject: null, exportedAs: 'credits', raisesEvents: true, indexes: [[{ org_id: 1, number: -1 }, { unique: true }]] },
);

const pageOf = coalescedPage(CreditEntryModel, { sort: { number: -1 } });

/** Lines of the ledger, newest first. */
export const creditEntries = (scope: Scope, page: Page) => pageOf(scope, {}, page);
