import { handle } from '@webkiln/rpc';
import { toEmbedSession } from './embed-session.ts';
import { sessionPage } from './embed-session-store.ts';

export const listEmbedSessions = handle('embed.ListEmbedSessions', async (page, caller) => {
  const { records, total, next_cursor } = await sessionPage(caller, page);
  return { embed_sessions: records.map(toEmbedSession), total, next_cursor };
});
