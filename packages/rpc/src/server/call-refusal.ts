import { accessToRpc, type ErrorCode, refusalOf } from '@webkiln/contract';
import type { Principal } from '@webkiln/messages';
import type { MethodName } from '../methods.ts';
import { ownCalls } from './own-calls.ts';

/**
 * RPCs that serve every API key and OAuth token: a message of an agent is no API operation. The services behind its
 * tools check permission and role.
 */
const agentCalls: ReadonlySet<string> = new Set<MethodName>(['mcp.Answer', 'mcp.AnswerWrite']);

export type CallRefusal = (principal: Principal) => ErrorCode | undefined;

/**
 * Decides who may call an RPC: keys, sessions and tokens by its API operation, services and operators by
 * `ownCalls`, and agents by `agentCalls`.
 */
export function callRefusalOf(method: MethodName): CallRefusal {
  const access = accessToRpc(method);
  const own = new Set<string>(ownCalls[method]);
  const isForAgents = agentCalls.has(method);
  return (principal) => {
    const { kind, credential_id } = principal;
    if (isForAgents && (kind === 'api_key' || kind === 'oauth_token')) return undefined;
    if (kind !== 'operator' && kind !== 'service') return refusalOf(principal, access);
    return own.has(kind === 'operator' ? 'operator' : credential_id) ? undefined : 'permission_missing';
  };
}
