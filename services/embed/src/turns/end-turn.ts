import { capOfDay, takeFromCap } from '../credits/caps.ts';
import { creditAccount, payingTransaction } from '../credits/credit-account.ts';
import { type Receipt, settleCredits } from '../credits/reservation.ts';
import type { Turn } from './turn.ts';
import { type Progress, saveProgress } from './turn-store.ts';

interface Ending extends Pick<Progress, 'text' | 'files'> {
  readonly state: Exclude<Turn['state'], 'running'>;
  readonly revision_id: string | null;
  /** Model tokens spent. */
  readonly tokens: number;
}

/** Model tokens of a day (UTC) that an organization does not pay for; beyond them every failure is paid for. */
const unpaidTokensDaily = 500_000;

/**
 * Ends a turn and settles its credits in one write. `isCharged` is false for what failed on our side or the provider's.
 * Null if another process has ended it already.
 */
export async function endTurn(turn: Turn, ending: Ending, isCharged: boolean): Promise<Receipt | null> {
  const { org_id, reservation } = turn;
  const progress = { ...ending, running: null };
  if (reservation == null) {
    if (!(await saveProgress(turn, progress))) return null;
    return { credits: 0, balance: (await creditAccount({ org_id }))?.balance ?? 0 };
  }
  return payingTransaction(org_id, async (tenant) => {
    if (!(await saveProgress(turn, progress, tenant.session))) return null;
    const unpaid = isCharged ? 0 : await takeFromCap(tenant, capOfDay(`unpaid ${org_id}`, unpaidTokensDaily), ending.tokens);
    return settleCredits(tenant, turn, reservation, ending.tokens - unpaid);
  });
}
