import { isIPv6 } from 'node:net';
import type { OutboundRules } from './outbound-rules.ts';
import { OutboundRefusal } from './refusal.ts';

const maxUrlLength = 2_048;

/** A parsed URL that satisfies the rules. */
export interface Target {
  readonly origin: string;
  /** A name, or a canonical address without brackets. */
  readonly host: string;
  readonly path: string;
}

/**
 * Parses a URL by the WHATWG standard, which maps every spelling of an address to one. Throws `OutboundRefusal` if it
 * breaks the rules on schemes, ports, user-info or length.
 */
export function targetOf(text: string, { ports, allowHttp }: OutboundRules): Target {
  if (text.length > maxUrlLength) throw new OutboundRefusal('The address is longer than 2,048 characters.');
  const url = URL.parse(text);
  if (url === null) throw new OutboundRefusal('The address must be a URL such as https://example.com/hooks.');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw new OutboundRefusal('The address must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefusal('The address must not contain a user name or a password.');
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (!ports.includes(port)) throw new OutboundRefusal(`Port ${port} is not allowed.`);
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  return { origin: url.origin, host: isIPv6(bare) ? bare : url.hostname, path: url.pathname + url.search };
}
