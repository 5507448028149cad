import { logger } from '@webkiln/runtime';
import Provider from 'oidc-provider';
import { audited } from './connection.ts';
import { revokeGrant } from './grant-store.ts';

/**
 * The library ends a grant when its client revokes a token and, at the token endpoint, when a used code or refresh
 * token is sent again. That is audited, and its person is told by mail: see reactions/on-account-act.ts.
 */
export async function endGrant(grant_id: string): Promise<void> {
  const isReuse = Provider.ctx?.oidc.route === 'token';
  logger.info({ grant_id, is_reuse: isReuse }, 'authorization revoked; its tokens end');
  await revokeGrant(grant_id, ({ connection_id, account_id, client_name }) =>
    isReuse ? [audited('agent.token_reused', { _id: connection_id, account_id, client_name })] : [],
  );
}
