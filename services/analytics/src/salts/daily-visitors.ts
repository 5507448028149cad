import { createHmac, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Agent, agentOf } from '../ingest/agent.ts';

export interface Visitor extends Agent {
  /** 16 base64url characters. */
  readonly id: string;
}

/** Longer than any browser's: what is longer is looked at no further. */
const longestAgent = 512;
/** 12 of the 32 bytes: no two of a site's visitors share them by chance. */
const idCharacters = 16;
/** About 400 bytes each. */
const visitorsMost = 20_000;

/**
 * The visitors of one day, by its salt: what an id is made of cannot be found from it once the salt is destroyed. Whoever has come is remembered for
 * his next views, in memory and with the salt: to make an id anew costs more than all else that is asked of a view.
 */
export class DailyVisitors {
  readonly #salt: KeyObject;
  readonly #known = new LRUCache<string, Visitor>({ max: visitorsMost });

  constructor(salt: KeyObject) {
    this.#salt = salt;
  }

  /** Who views a site from an address (IPv6: its /64) with this User-Agent. */
  of(site: string, address: string, header = ''): Visitor {
    const agent = header.length > longestAgent ? header.slice(0, longestAgent) : header;
    const who = `${site}\0${address}\0${agent}`;
    const known = this.#known.get(who);
    if (known !== undefined) return known;
    const id = createHmac('sha256', this.#salt).update(who).digest('base64url').slice(0, idCharacters);
    const visitor = { id, ...agentOf(agent) };
    this.#known.set(who, visitor);
    return visitor;
  }
}
