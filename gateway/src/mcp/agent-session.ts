import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const maxNameLength = 100;
const prefix = 'mcp-';
const checksumLength = 8;
const clientInfoKey = 'io.modelcontextprotocol/clientInfo';

/** A text that a client chose, fit for logs; undefined if nothing is left of it. */
function plainName(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const plain = [
    ...text
      .toWellFormed()
      .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, maxNameLength)
    .join('')
    .trim();
  return plain === '' ? undefined : plain;
}

const checksum = (name: string) => hash('sha256', `${prefix}${name}`, 'base64url').slice(0, checksumLength);

/**
 * The session id of a client: its name. Before the revision 2026-07-28 clients name themselves once, and send the
 * session id afterwards. So every gateway knows the name of every client, and none keeps a session.
 */
export const sessionIdOf = (name = ''): string => `${prefix}${Buffer.from(name).toString('base64url')}.${checksum(name)}`;

/** The name in a session id; undefined for an id that is not ours. */
function nameInSession(id: string): string | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const name = Buffer.from(id.slice(prefix.length, id.lastIndexOf('.')), 'base64url').toString();
  return sessionIdOf(name) === id ? name : undefined;
}

/** The parameters of a message, as far as they name the client. */
export interface AgentParams {
  readonly clientInfo?: { readonly name?: unknown };
  readonly _meta?: { readonly [clientInfoKey]?: { readonly name?: unknown } };
}

/**
 * The name that the client gives itself, in this message, in its session id or as its user agent. `isUnknown` if the
 * session id is not ours.
 */
export function agentOf(
  method: string,
  params: AgentParams | undefined,
  headers: IncomingHttpHeaders,
): { name?: string; isUnknown?: true } {
  const named =
    plainName(params?._meta?.[clientInfoKey]?.name) ?? (method === 'initialize' ? plainName(params?.clientInfo?.name) : undefined);
  const name = named ?? plainName(headers['user-agent']);
  const session = headers['mcp-session-id'];
  if (method === 'initialize' || named !== undefined || typeof session !== 'string') return name === undefined ? {} : { name };
  const known = nameInSession(session);
  if (known === undefined) return { isUnknown: true };
  const inSession = plainName(known) ?? name;
  return inSession === undefined ? {} : { name: inSession };
}
