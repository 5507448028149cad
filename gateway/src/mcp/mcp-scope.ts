import { ToolSelection } from '@webkiln/agent-tools';
import { type AppError, accessError, agentScopes } from '@webkiln/contract';
import type { Exchange } from '../api/exchange.ts';
import type { McpMessage } from './mcp-message.ts';

/** A message, as far as it was admitted, and the tools of the address that it was sent to. */
interface Asked extends Pick<Exchange, 'credential'> {
  readonly message?: McpMessage;
  readonly selection?: ToolSelection;
}

/**
 * Throws `insufficient_scope` for a tool of the connection that the person of an OAuth token has not allowed. A tool
 * that the connection does not have is unknown to it, whatever the token may do: mcp says so.
 */
export function assertScope({ message, credential }: Asked, selection: ToolSelection): void {
  if (message?.tool === undefined || credential?.principal.kind !== 'oauth_token') return;
  const tool = selection.find(message.tool, credential.agentAccess);
  const refusal = tool && accessError(credential.principal, tool.prepared.access);
  if (refusal?.code === 'insufficient_scope') throw refusal;
}

/** RFC 9728 §5.1; RFC 6750 §3.1 for a credential that is not valid, or whose person has not allowed enough. */
export function challengeFor({ code }: AppError, { message, credential, selection = ToolSelection.none }: Asked, origin: string): string {
  const metadata = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`;
  if (code === 'insufficient_scope') {
    // What the person has allowed is asked for again, so that the new token is worth no less.
    const needed = selection.find(message?.tool ?? '', credential?.agentAccess)?.prepared.access.agentScope;
    const scopes = agentScopes.filter((scope) => scope === needed || credential?.principal.scopes?.includes(scope));
    return `${metadata}, scope="${scopes.join(' ')}", error="insufficient_scope", error_description="The tool needs the scope ${needed}"`;
  }
  const challenge = `${metadata}, scope="${selection.scopes.join(' ')}"`;
  return code === 'missing_credential' ? challenge : `${challenge}, error="invalid_token"`;
}
