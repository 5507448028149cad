import { type Permission, permissionsOf, type SessionRole } from '@webkiln/contract';
import { call } from '@webkiln/rpc';
import { type IntrospectionResult, introspectionCaller } from './credential-cache.ts';

const never = Number.POSITIVE_INFINITY;

/** Asks identity about API keys by their digests; results are in the same order. */
export async function introspectKeys(digests: readonly string[]): Promise<IntrospectionResult[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('identity.VerifyKeys', { key_digests: digests }, introspectionCaller());
  return verdicts.map(
    ({ valid, key_id, org_id, permissions, expires_at, rate_limit, role, suspended, requests_limit }): IntrospectionResult => {
      if (!valid) return undefined;
      return {
        principal: {
          kind: 'api_key',
          org_id,
          credential_id: key_id,
          permissions: permissions as Permission[],
          ...(role !== undefined && { role: role as SessionRole }),
        },
        expiresAt: expires_at === undefined ? never : Date.parse(expires_at),
        rateLimit: rate_limit,
        isSuspended: suspended,
        requestsLimit: requests_limit,
        checkedAt,
      };
    },
  );
}

/** Asks identity about OAuth access tokens by their digests; results are in the same order. */
export async function introspectOauthTokens(digests: readonly string[]): Promise<IntrospectionResult[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('identity.VerifyOauthTokens', { token_digests: digests }, introspectionCaller());
  return verdicts.map((result): IntrospectionResult => {
    const { valid, grant_id, account_id, org_id, user_id, client_id, agent_name: agent, resource, expires_at } = result;
    if (!valid) return undefined;
    const role = result.role as SessionRole;
    const person = { account_id, role, user_id, client_id, agent };
    return {
      principal: { kind: 'oauth_token', org_id, credential_id: grant_id, permissions: permissionsOf(role), ...person },
      expiresAt: Date.parse(expires_at),
      rateLimit: undefined,
      isSuspended: result.suspended,
      requestsLimit: result.requests_limit,
      resource,
      checkedAt,
    };
  });
}

/** Asks identity about sessions by their tokens' digests; results are in the same order. */
export async function introspectSessions(digests: readonly string[]): Promise<IntrospectionResult[]> {
  const checkedAt = performance.now();
  const { verdicts } = await call('identity.VerifySessions', { session_digests: digests }, introspectionCaller());
  return verdicts.map(
    ({ valid, session_id, account_id, org_id, role, user_id, client_id, expires_at, suspended, requests_limit }): IntrospectionResult => {
      if (!valid) return undefined;
      const permissions = permissionsOf(role as SessionRole | undefined);
      const person = { account_id, role: role as SessionRole | undefined, user_id, client_id };
      return {
        principal: { kind: 'session', org_id, credential_id: session_id, permissions, ...person },
        expiresAt: Date.parse(expires_at),
        rateLimit: undefined,
        isSuspended: suspended,
        requestsLimit: requests_limit,
        checkedAt,
      };
    },
  );
}

/** Asks embed about embed tokens by their digests; results are in the same order. */
export async function introspectEmbedTokens(digests: readonly string[]): Promise<IntrospectionResult[]> {
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
