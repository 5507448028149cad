import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { latestTurns } from './turn-store.ts';

export const resumeTurn = handle('embed.ResumeTurn', async ({ project_id }, caller) => {
  await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
  const [latest] = await latestTurns({ org_id: caller.principal.org_id }, project_id, 1);
  return latest?.running === true ? { turn_id: latest._id } : { turn_id: '', ended_turn_id: latest?._id };
});
