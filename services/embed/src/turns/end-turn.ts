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

/** A stopped turn costs what it spent until then; what fails on our side or the provider's costs nothing. */
const isCharged = (state: Turn['state']): boolean => state === 'done' || state === 'stopped';

/** Ends a turn and settles its credits in one write. Null if another process has ended it already. */
export async function endTurn(turn: Turn, ending: Ending): Promise<Receipt | null> {
  const { org_id, reservation } = turn;
  const progress = { ...ending, running: null };
  if (reservation == null) {
    if (!(await saveProgress(turn, progress))) return null;
    return { credits: 0, balance: (await creditAccount({ org_id }))?.balance ?? 0 };
  }
  return payingTransaction(org_id, async (tenant) => {
    if (!(await saveProgress(turn, progress, tenant.session))) return null;
    return settleCredits(tenant, turn, reservation, isCharged(ending.state) ? ending.tokens : 0);
  });
}
