import { LRUCache } from 'lru-cache';

const minuteMs = 60_000;
/** About 100 bytes each. Whoever sends from more addresses than that is not held up by a limit for one. */
const addressesMost = 50_000;

interface Minutes {
  minute: number;
  count: number;
  /** Of the minute before. */
  before: number;
}

/** How many views one address may send to this process in a minute: a sliding window made of two fixed ones. */
export class AddressLimit {
  readonly #perMinute: number;
  readonly #seen = new LRUCache<string, Minutes>({ max: addressesMost });

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Takes so many views of an address at a moment (milliseconds since 1970), and returns 0; or takes none, and returns the seconds to wait. */
  take(address: string, views: number, now: number): number {
    const minute = Math.floor(now / minuteMs);
    const left = minuteMs - (now % minuteMs);
    const seen = this.#at(address, minute);
    if (seen.count + seen.before * (left / minuteMs) + views > this.#perMinute) return Math.ceil(left / 1000);
    seen.count += views;
    return 0;
  }

  #at(address: string, minute: number): Minutes {
    const seen = this.#seen.get(address);
    if (seen === undefined) {
      const first = { minute, count: 0, before: 0 };
      this.#seen.set(address, first);
      return first;
    }
    if (seen.minute !== minute) {
      seen.before = seen.minute === minute - 1 ? seen.count : 0;
      seen.count = 0;
      seen.minute = minute;
    }
    return seen;
  }
}
