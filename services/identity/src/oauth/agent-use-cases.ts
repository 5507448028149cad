import { AppError, defaultLanguage, validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import * as z from 'zod';
import { accountsById } from '../accounts/account-store.ts';
import { assertInternal, currentAccountId } from '../authorize.ts';
import { foundUnder, type KeyHash } from '../keys/key-secret.ts';
import { admissionsOf, organizationsById } from '../organizations/organization-store.ts';
import { currentMembership } from '../sessions/memberships.ts';
import { pageTexts } from '../texts.ts';
import { redirectHost } from './clients/redirect-uri.ts';
import { scopesOf } from './resources.ts';
import { connectionOf, connectionsOf, disconnect, recordConnectionUses } from './store/connection-store.ts';
import { liveGrantsBy, membershipOf, revokeGrants } from './store/grant-store.ts';
import { accessTokensBy } from './store/token-store.ts';

const listAgents = handle('accounts.ListAgents', async (_request, caller) => {
  const connections = await connectionsOf(currentAccountId(caller));
  const organizations = await organizationsById(connections.map(({ org_id }) => org_id));
  const agents = connections.map(({ _id, client_name, redirect_uri, org_id, created_at, last_used_at, ...connection }) => ({
    id: _id,
    client_name,
    redirect_host: redirectHost(redirect_uri, pageTexts[defaultLanguage].consent),
    organization_id: org_id,
    organization: organizations.get(org_id)?.name ?? '',
    scopes: scopesOf(connection),
    project_id: connection.project_id ?? undefined,
    client_id: connection.limited_client_id ?? undefined,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString(),
  }));
  return { agents, total: agents.length };
});

/** The consent ends first, so that no new grant follows; a repeat after a crash revokes the grants that are left. */
const disconnectAgent = handle('accounts.DisconnectAgent', async ({ agent_id }, caller) => {
  const account_id = currentAccountId(caller);
  const connection = await connectionOf(account_id, agent_id);
  const isNew = connection !== null && (await disconnect(account_id, agent_id));
  const revoked = connection === null ? 0 : await revokeGrants({ connection_id: agent_id });
  if (!isNew && revoked === 0) throw new AppError('agent_not_found');
  return { deleted: true, id: agent_id };
});

const Uses = z.object({
  uses: z.array(z.object({ grant_id: z.string(), last_used_at: z.iso.datetime().transform((time) => new Date(time)) })),
});

const recordOauthUse = handle('identity.RecordOauthUse', async (request, caller) => {
  assertInternal(caller);
  const { uses } = validate(Uses, request);
  const grants = await liveGrantsBy(uses.map(({ grant_id }) => grant_id));
  await recordConnectionUses(
    uses.flatMap(({ grant_id, last_used_at }) => {
      const connection_id = grants.get(grant_id)?.connection_id;
      return connection_id === undefined ? [] : [{ _id: connection_id, last_used_at }];
    }),
  );
  return {};
});

const invalid = { valid: false };

/**
 * The introspection results (RFC 7662). A token acts with the rights that its person has at this moment: it is invalid
 * once it expired or was revoked, the account is locked or deleted, or the person has left the organization.
 */
const verifyOauthTokens = (hashOf: KeyHash) =>
  handle('identity.VerifyOauthTokens', async ({ token_digests }, caller) => {
    assertInternal(caller);
    const hashes = token_digests.map(hashOf.all);
    const tokens = await accessTokensBy(hashes.flat());
    const grants = await liveGrantsBy([...tokens.values()].map(({ grant_id }) => grant_id));
    const [accounts, admissions] = await Promise.all([
      accountsById([...grants.values()].map(({ account_id }) => account_id)),
      admissionsOf([...grants.values()].map(({ org_id }) => org_id)),
    ]);
    const results = hashes.map(async (candidates) => {
      const token = foundUnder(tokens, candidates)?.record;
      const grant = grants.get(token?.grant_id ?? '');
      const account = accounts.get(grant?.account_id ?? '');
      if (token === undefined || grant === undefined || account === undefined || account.locked_at || account.deleted_at) return invalid;
      const membership = await currentMembership(membershipOf(grant));
      if (membership === null) return invalid;
      const admission = admissions.get(grant.org_id);
      const limits = { project_id: grant.project_id ?? undefined, limited_client_id: grant.limited_client_id ?? undefined };
      return {
        valid: limits.project_id === undefined && limits.limited_client_id === undefined,
        ...limits,
        grant_id: grant._id,
        account_id: grant.account_id,
        org_id: grant.org_id,
        role: membership.role,
        user_id: membership.kind === 'user' ? membership.id : undefined,
        client_id: membership.client_id ?? undefined,
        agent_id: grant.client_id,
        agent_name: grant.client_name,
        resource: String((JSON.parse(token.payload) as { aud?: unknown }).aud),
        expires_at: token.expires_at.toISOString(),
        suspended: admission?.suspended,
        requests_limit: admission?.requests_limit,
        joined_by_link: membership.joined_by_link,
        agents_off: admission?.agent_access.is_enabled === false,
        disabled_tools: admission?.agent_access.disabled_tools,
        agents_can_build: admission?.agent_access.can_build === true,
        scopes: [...scopesOf(grant)],
      };
    });
    return { verdicts: await Promise.all(results) };
  });

export const oauthUseCases = (hashOf: KeyHash) => [verifyOauthTokens(hashOf), recordOauthUse, listAgents, disconnectAgent];
