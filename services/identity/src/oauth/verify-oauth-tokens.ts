import { handle } from '@webkiln/rpc';
import { accountsById } from '../accounts/account-store.ts';
import { assertInternal } from '../authorize.ts';
import { foundUnder, type KeyHash } from '../keys/key-secret.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { currentMembership } from '../sessions/memberships.ts';
import { liveGrantsBy } from './store/grant-store.ts';
import { accessTokensBy } from './store/token-store.ts';

const invalid = { valid: false };

/**
 * The introspection results (RFC 7662). A token acts with the rights that its person has at this moment: it is invalid
 * once it expired or was revoked, the account is locked or deleted, or the person has left the organization.
 */
export const verifyOauthTokens = (hashOf: KeyHash) =>
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
      const membership = await currentMembership(grant);
      if (membership === null) return invalid;
      const admission = admissions.get(grant.org_id);
      return {
        valid: true,
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
      };
    });
    return { verdicts: await Promise.all(results) };
  });
