import { CreditEntry, createProjection, type StateOf, withDates } from '@webkiln/contract';
import { coalescedPage, defineModel, definitionOf, type Page, type Scope } from '@webkiln/store';

const StoredCreditEntry = withDates(CreditEntry);

/** A line of an organization's ledger. Lines are added, never changed. */
export interface CreditEntryState extends StateOf<typeof StoredCreditEntry> {
  org_id: string;
  /** Counts the organization's lines, from 1. */
  number: number;
}

/** The public record. */
export const toCreditEntry = createProjection(StoredCreditEntry);

/** One credit pays for so many tokens of a model. */
export const tokensPerCredit = 1_000;
/** A turn reserves at most so many credits, and needs so many to begin. */
export const maxTurnCredits = 200;
export const minTurnCredits = 2;

/** The cost of a turn: its tokens, rounded up, and no more than it has reserved. */
export const costOf = (tokens: number, reserved: number): number => Math.min(reserved, Math.ceil(tokens / tokensPerCredit));

export const CreditEntryModel = defineModel<CreditEntryState>(
  'credit_entries',
  { ...definitionOf(StoredCreditEntry), number: { type: Number, required: true } },
  { ofProject: null, exportedAs: 'credits', raisesEvents: true, indexes: [[{ org_id: 1, number: -1 }, { unique: true }]] },
);

const pageOf = coalescedPage(CreditEntryModel, { sort: { number: -1 } });

/** Lines of the ledger, newest first. */
export const creditEntries = (scope: Scope, page: Page) => pageOf(scope, {}, page);
