import type { TurnContext } from '../../engines/engine.ts';
import type { Turn } from '../turn.ts';
import { latestTurns } from '../turn-store.ts';

/** How many earlier turns an engine is told of, and how many characters of each side. */
const maxTurns = 12;
const maxLength = 2_000;

/** The conversation before this turn, oldest first. Turns that changed nothing are left out. */
export async function historyOf({ org_id, project_id, _id }: Turn): Promise<TurnContext['history']> {
  const turns = await latestTurns({ org_id }, project_id, maxTurns + 1);
  return turns
    .filter((turn) => turn._id !== _id && turn.state === 'done')
    .flatMap(({ message, text }) => [
      { role: 'user' as const, text: message.slice(0, maxLength) },
      { role: 'assistant' as const, text: text.slice(0, maxLength) },
    ]);
}
