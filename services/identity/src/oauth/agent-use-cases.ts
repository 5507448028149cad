import { AppError, defaultLanguage, validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import * as z from 'zod';
import { assertInternal, currentAccountId } from '../authorize.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { organizationsById } from '../organizations/organization-store.ts';
import { pageTexts } from '../texts.ts';
import { redirectHost } from './clients/redirect-uri.ts';
import { scope } from './resources.ts';
import { connectionOf, connectionsOf, disconnect, recordConnectionUses } from './store/connection-store.ts';
import { liveGrantsBy, revokeGrants } from './store/grant-store.ts';
import { verifyOauthTokens } from './verify-oauth-tokens.ts';

const listAgents = handle('accounts.ListAgents', async (_request, caller) => {
  const connections = await connectionsOf(currentAccountId(caller));
  const organizations = await organizationsById(connections.map(({ org_id }) => org_id));
  const agents = connections.map(({ _id, client_name, redirect_uri, org_id, created_at, last_used_at }) => ({
    id: _id,
    client_name,
    redirect_host: redirectHost(redirect_uri, pageTexts[defaultLanguage].consent),
    organization_id: org_id,
    organization: organizations.get(org_id)?.name ?? '',
    scopes: [scope],
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

export const oauthUseCases = (hashOf: KeyHash) => [verifyOauthTokens(hashOf), recordOauthUse, listAgents, disconnectAgent];
