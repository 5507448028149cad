import { feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { CredentialCache } from './credential-cache.ts';
import { introspectKeys, introspectSessions } from './introspect.ts';

/**
 * Opens the caches of keys and sessions. Change events drop single entries; after an interruption of the feed every
 * entry is revalidated.
 */
export function openCredentialCaches(): { keys: CredentialCache; sessions: CredentialCache } {
  const keys = new CredentialCache({ kind: 'keys', introspect: introspectKeys, feedIsLive });
  const sessions = new CredentialCache({ kind: 'sessions', introspect: introspectSessions, feedIsLive });
  listen('internal.key.changed', ({ data }) => keys.drop(data.key_id));
  listen('internal.session.changed', ({ data }) => sessions.drop(data.session_id ?? data.account_id));
  listen('internal.organization.changed', ({ data }) => {
    keys.drop(data.organization_id);
    sessions.drop(data.organization_id);
  });
  onFeedRestored(() => {
    keys.revalidateAll();
    sessions.revalidateAll();
  });
  return { keys, sessions };
}
