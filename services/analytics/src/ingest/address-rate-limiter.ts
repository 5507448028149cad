import { growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { minuteMs } from '../views/view.ts';

/** About 100 bytes each. A per-address limit cannot stop a sender with more addresses than this anyway. */
const maxAddresses = 50_000;

interface AddressWindow {
  minute: number;
  count: number;
  /** Views of the previous minute. */
  previousCount: number;
}

/** Limits the views per minute of each client address: a sliding window, approximated by two fixed ones. */
export class AddressRateLimiter {
  readonly #perMinute: number;
  readonly #windows = new LRUCache<string, AddressWindow>(growingTo(maxAddresses));

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /**
   * Counts the views of an address at `now` (milliseconds since 1970) and returns 0. If they exceed the limit, counts
   * none of them and returns the seconds to wait.
   */
  consume(address: string, views: number, now: number): number {
    const minute = Math.floor(now / minuteMs);
    const left = minuteMs - (now % minuteMs);
    const window = this.#at(address, minute);
    if (window.count + window.previousCount * (left / minuteMs) + views > this.#perMinute) return Math.ceil(left / 1000);
    window.count += views;
    return 0;
  }

  #at(address: string, minute: number): AddressWindow {
    const window = this.#windows.get(address);
    if (window === undefined) {
      const first = { minute, count: 0, previousCount: 0 };
      this.#windows.set(address, first);
      return first;
    }
    if (window.minute !== minute) {
      window.previousCount = window.minute === minute - 1 ? window.count : 0;
      window.count = 0;
      window.minute = minute;
    }
    return window;
  }
}
