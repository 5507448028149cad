import type { Principal } from './caller.ts';
import { type ProcessName, processes } from './processes.ts';
import type { ServiceName } from './services.ts';

/** The issuers that sign principals: each process, and operators at the command line. */
export type Issuer = ProcessName | 'operator';

export const issuers: readonly Issuer[] = [...(Object.keys(processes) as ProcessName[]), 'operator'];

/** The issuers that call a service: it trusts no other. Operators call every one. */
export const callersOf = (service: ServiceName): Issuer[] =>
  issuers.filter((issuer) => issuer === 'operator' || (processes[issuer].peers as readonly ServiceName[]).includes(service));

/**
 * True if the issuer may state this principal. The gateway speaks for keys, sessions and tokens, and mcp for keys
 * and OAuth tokens: it passes on the principals that the gateway signed for it. The command line speaks for operators,
 * and each process for itself.
 */
export function mayState(issuer: Issuer, { kind, credential_id }: Principal): boolean {
  if (kind === 'api_key' || kind === 'oauth_token') return issuer === 'gateway' || issuer === 'mcp';
  if (kind === 'session' || kind === 'embed_token') return issuer === 'gateway';
  if (kind === 'operator') return issuer === 'operator';
  return kind === 'service' && issuer !== 'operator' && credential_id === issuer;
}
