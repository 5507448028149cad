import { feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { askAboutKeys, askAboutSessions } from './ask-identity.ts';
import { Verdicts } from './verdicts.ts';

/** Verdicts on keys and sessions that hear of changes: each is dropped when identity tells of it, all are asked for again after it was not heard. */
export function liveVerdicts(): { keys: Verdicts; sessions: Verdicts } {
  const keys = new Verdicts({ what: 'keys', ask: askAboutKeys, feedIsLive });
  const sessions = new Verdicts({ what: 'sessions', ask: askAboutSessions, feedIsLive });
  listen('internal.key.changed', ({ data }) => keys.drop(data.key_id));
  listen('internal.session.changed', ({ data }) => sessions.drop(data.session_id ?? data.account_id));
  onFeedRestored(() => {
    keys.distrust();
    sessions.distrust();
  });
  return { keys, sessions };
}
