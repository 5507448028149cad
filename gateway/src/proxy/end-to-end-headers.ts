import type { IncomingHttpHeaders } from 'node:http';

/** Hop-by-hop headers (RFC 9110 §7.6.1), and `expect`, which our server has already handled. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Used between our processes; a client that sends them would be trusted as one of us. */
const internalPrefix = 'x-webkiln-';

/** The headers that the proxy forwards: no hop-by-hop and no internal ones. */
export function endToEndHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const connectionHeaders = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  const forwarded: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name) && !connectionHeaders.includes(name) && !name.startsWith(internalPrefix))
      forwarded[name] = value;
  }
  return forwarded;
}
