import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';

/**
 * Returns the check that a request names this origin, against DNS rebinding and pages of others (MCP, Streamable HTTP,
 * Security). It throws `foreign_address`.
 */
export function ownAddress(own: string): (request: IncomingMessage) => void {
  const ownHost = new URL(own).host;
  return ({ headers: { host, origin } }) => {
    if (host?.toLowerCase() !== ownHost || (origin !== undefined && origin !== own)) throw new AppError('foreign_address');
  };
}
