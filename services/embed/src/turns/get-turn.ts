import { handle } from '@webkiln/rpc';
import { turnById } from './turn-store.ts';

export const getTurn = handle('embed.GetTurn', async ({ turn_id }, caller) => {
  const turn = await turnById(caller, turn_id);
  return { state: turn?.state ?? '', text: turn?.text ?? '', revision_id: turn?.revision_id ?? undefined };
});
