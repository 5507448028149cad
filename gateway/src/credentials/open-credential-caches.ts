import { feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { CredentialCache } from './credential-cache.ts';
import { introspectEmbedTokens, introspectKeys, introspectOauthTokens, introspectSessions } from './introspect.ts';

/** The introspection results of each kind of credential. */
export interface CredentialCaches {
  readonly keys: CredentialCache;
  readonly sessions: CredentialCache;
  readonly oauthTokens: CredentialCache;
  readonly embedTokens: CredentialCache;
}

/**
 * Opens the caches of keys, sessions, OAuth tokens and embed tokens. Change events drop single entries; after an
 * interruption of the feed every entry is revalidated.
 */
export function openCredentialCaches(): CredentialCaches {
  const keys = new CredentialCache({ kind: 'keys', introspect: introspectKeys, feedIsLive });
  const sessions = new CredentialCache({ kind: 'sessions', introspect: introspectSessions, feedIsLive });
  const oauthTokens = new CredentialCache({ kind: 'OAuth tokens', introspect: introspectOauthTokens, feedIsLive });
  const embedTokens = new CredentialCache({ kind: 'embed tokens', introspect: introspectEmbedTokens, feedIsLive });
  listen('internal.embed_session.changed', ({ data }) => embedTokens.drop(data.session_id));
  listen('internal.key.changed', ({ data }) => keys.drop(data.key_id));
  listen('internal.oauth.changed', ({ data }) => oauthTokens.drop(data.grant_id));
  listen('internal.session.changed', ({ data }) => {
    sessions.drop(data.session_id ?? data.account_id);
    // Without a session the account's rights changed, which its agents share.
    if (data.session_id === undefined) oauthTokens.drop(data.account_id);
  });
  const all = [keys, sessions, oauthTokens, embedTokens];
  listen('internal.organization.changed', ({ data }) => {
    for (const cache of all) cache.drop(data.organization_id);
  });
  onFeedRestored(() => {
    for (const cache of all) cache.revalidateAll();
  });
  return { keys, sessions, oauthTokens, embedTokens };
}
