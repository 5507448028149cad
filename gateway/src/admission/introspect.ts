import { type AgentOpening, AppError, type Permission, permissionsOf, type SessionRole } from '@webkiln/contract';
import { feedIsLive, listen, onFeedRestored } from '@webkiln/events/listening';
import { isInNetworks } from '@webkiln/http';
import { serviceCaller } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { CredentialCache, type IntrospectionResult, introspectionCaller, introspectionTimeoutMs } from './credential-cache.ts';

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

const never = Number.POSITIVE_INFINITY;

/** Asks identity about API keys by their digests; results are in the same order. */
async function introspectKeys(digests: readonly string[]): Promise<(IntrospectionResult | Error)[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('identity.VerifyKeys', { key_digests: digests }, introspectionCaller());
  return Promise.all(verdicts.map((verdict) => (verdict.valid ? keyOf(verdict, checkedAt).catch((error: Error) => error) : undefined)));
}

type KeyVerdict = IncomingReply<'identity.VerifyKeys'>['verdicts'][number];

async function keyOf(
  { key_id, org_id, expires_at, role, client_id, project_id, ...found }: KeyVerdict,
  checkedAt: number,
): Promise<IntrospectionResult> {
  const user_id = client_id === undefined ? undefined : await userOf(client_id, org_id);
  // The client was removed, and its websites with it.
  if (user_id === null) return undefined;
  const { allowed_networks: networks } = found;
  return {
    principal: {
      kind: 'api_key',
      org_id,
      credential_id: key_id,
      permissions: [...found.permissions, ...found.restricted_permissions] as Permission[],
      ...(role !== undefined && { role: role as SessionRole }),
      ...(user_id !== undefined && { user_id, client_id }),
      ...(project_id !== undefined && { project_id }),
    },
    expiresAt: expires_at === undefined ? never : Date.parse(expires_at),
    rateLimit: found.rate_limit,
    keyRateLimit: found.key_rate_limit,
    mayComeFrom: networks.length === 0 ? undefined : isInNetworks(networks),
    isSuspended: found.suspended,
    requestsLimit: found.requests_limit,
    checkedAt,
  };
}

/** The user whose websites are a client's; null if there is no such client. */
async function userOf(client_id: string, org_id: string): Promise<string | null> {
  const caller = serviceCaller('gateway', org_id, introspectionTimeoutMs);
  try {
    return (await call('clients.GetClientUser', { client_id }, caller)).user_id;
  } catch (error) {
    if (error instanceof AppError && error.code === 'client_not_found') return null;
    throw error;
  }
}

/** Asks identity about OAuth access tokens by their digests; results are in the same order. */
async function introspectOauthTokens(digests: readonly string[]): Promise<(IntrospectionResult | Error)[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('identity.VerifyOauthTokens', { token_digests: digests }, introspectionCaller());
  return Promise.all(verdicts.map((verdict) => tokenOf(verdict, checkedAt).catch((error: Error) => error)));
}

type TokenVerdict = IncomingReply<'identity.VerifyOauthTokens'>['verdicts'][number];

async function tokenOf(result: TokenVerdict, checkedAt: number): Promise<IntrospectionResult> {
  const { valid, scopes, grant_id, account_id, org_id, project_id, limited_client_id, agent_name: agent, resource, expires_at } = result;
  if (!valid && project_id === undefined && limited_client_id === undefined) return undefined;
  const client_id = limited_client_id ?? result.client_id;
  const user_id = limited_client_id === undefined ? result.user_id : await userOf(limited_client_id, org_id);
  // The client was removed, and its websites with it.
  if (user_id === null) return undefined;
  const role = result.role as SessionRole;
  const person = { account_id, role, user_id, client_id, ...(project_id !== undefined && { project_id }), scopes, agent };
  return {
    principal: { kind: 'oauth_token', org_id, credential_id: grant_id, permissions: permissionsOf(role), ...person },
    expiresAt: Date.parse(expires_at),
    rateLimit: undefined,
    isSuspended: result.suspended,
    requestsLimit: result.requests_limit,
    joinedByLink: result.joined_by_link,
    agentAccess: {
      is_enabled: !result.agents_off,
      disabled_tools: result.disabled_tools as AgentOpening['disabled_tools'],
      can_build: result.agents_can_build,
    },
    resource,
    checkedAt,
  };
}

/** Asks identity about sessions by their tokens' digests; results are in the same order. */
async function introspectSessions(digests: readonly string[]): Promise<IntrospectionResult[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('identity.VerifySessions', { session_digests: digests }, introspectionCaller());
  return verdicts.map((result): IntrospectionResult => {
    const { valid, session_id, account_id, org_id, user_id, client_id, expires_at } = result;
    if (!valid) return undefined;
    const role = result.role as SessionRole | undefined;
    const has_agency_tools = result.has_agency_tools || undefined;
    const person = { account_id, role, has_agency_tools, user_id, client_id };
    return {
      principal: { kind: 'session', org_id, credential_id: session_id, permissions: permissionsOf(role), ...person },
      expiresAt: Date.parse(expires_at),
      rateLimit: undefined,
      isSuspended: result.suspended,
      requestsLimit: result.requests_limit,
      joinedByLink: result.joined_by_link,
      needsSecondFactor: result.needs_second_factor,
      checkedAt,
    };
  });
}

/** Asks embed about embed tokens by their digests; results are in the same order. */
async function introspectEmbedTokens(digests: readonly string[]): Promise<IntrospectionResult[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('embed.VerifyEmbedTokens', { token_digests: digests }, introspectionCaller());
  return verdicts.map(({ valid, session_id, org_id, user_id, client_id, expires_at, suspended, requests_limit }): IntrospectionResult => {
    if (!valid) return undefined;
    return {
      principal: { kind: 'embed_token', org_id, credential_id: session_id, permissions: ['read', 'write'], user_id, client_id },
      expiresAt: Date.parse(expires_at),
      rateLimit: undefined,
      isSuspended: suspended,
      requestsLimit: requests_limit,
      checkedAt,
    };
  });
}
