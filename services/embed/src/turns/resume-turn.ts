import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { runningTurn } from './turn-store.ts';

export const resumeTurn = handle('embed.ResumeTurn', async ({ project_id }, caller) => {
  await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
  const running = await runningTurn({ org_id: caller.principal.org_id }, project_id);
  return { turn_id: running?._id ?? '' };
});
