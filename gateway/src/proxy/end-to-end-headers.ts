import type { IncomingHttpHeaders } from 'node:http';

/** What concerns one connection alone (RFC 9110 §7.6.1), and `expect`, which our server has dealt with by then. */
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
/** Between our processes only. */
const ours = 'x-webkiln-';

/** The headers that a proxy passes on: none of one connection's, and none that claims to come from us. */
export function endToEndHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name) && !named.includes(name) && !name.startsWith(ours)) passed[name] = value;
  }
  return passed;
}
