import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { messagesOf } from './turn.ts';
import { latestTurns } from './turn-store.ts';

const shownTurns = 100;

export const listChatMessages = handle('embed.ListChatMessages', async ({ project_id }, caller) => {
  await call('projects.GetProject', { project_id }, onBehalf('embed', caller));
  const turns = await latestTurns({ org_id: caller.principal.org_id }, project_id, shownTurns);
  const messages = turns.flatMap(messagesOf);
  return { messages, total: messages.length };
});
