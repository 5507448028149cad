import type { ServerResponse } from 'node:http';
import { KeyedCount } from './keyed-count.ts';
import { countRefusal } from './metrics.ts';

interface Options {
  readonly maxPerCredential: number;
  readonly maxPerNetwork: number;
}

/** Smaller responses are bounded by their number. */
const minCountedBytes = 16 * 1024;

/** Bounds the response bytes that wait for their clients to read them, per credential and per client network. */
export class UnsentBytes {
  readonly #credentials: KeyedCount;
  readonly #networks: KeyedCount;

  constructor({ maxPerCredential, maxPerNetwork }: Options) {
    this.#credentials = new KeyedCount(maxPerCredential);
    this.#networks = new KeyedCount(maxPerNetwork);
  }

  /** Counts a response's bytes until it is closed. False, and nothing is counted, if they are too many. */
  add(response: ServerResponse, bytes: number, credential: string, network: () => string): boolean {
    if (bytes < minCountedBytes) return true;
    const from = network();
    const isAdded = this.#credentials.add(credential, bytes);
    if (!isAdded || !this.#networks.add(from, bytes)) {
      if (isAdded) this.#credentials.remove(credential, bytes);
      countRefusal('unsent bytes', 'too_many_unread');
      return false;
    }
    response.once('close', () => {
      this.#credentials.remove(credential, bytes);
      this.#networks.remove(from, bytes);
    });
    return true;
  }
}
