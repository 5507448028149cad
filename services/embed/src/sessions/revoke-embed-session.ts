import { AppError } from '@webkiln/contract';
import { auditEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { liveSession, revoked, saveSession } from './embed-session-store.ts';

export const revokeEmbedSession = handle('embed.RevokeEmbedSession', ({ embed_session_id: id }, caller) =>
  saveWithRetry(caller, async () => {
    const session = await liveSession(caller, id);
    if (session === null) throw new AppError('embed_session_not_found');
    const target = { kind: 'embed_session', id, name: session.external_user_id };
    await saveSession(caller, session, revoked(), [auditEvent(caller, 'embed_session.revoked', target)]);
    return { deleted: true, id };
  }),
);
