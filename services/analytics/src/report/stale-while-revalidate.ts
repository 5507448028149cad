import { LRUCache } from 'lru-cache';

/** From this age on an answer is refreshed, beside who gets it. */
const freshMs = 1_000;
/** From this age on it is shown to nobody: the refreshed one is waited for. */
const staleMs = 3_000;
/** More that are asked for in turn are found out each time. */
const answersMost = 200;

interface Answer<T> {
  readonly value: T;
  readonly askedAt: number;
}

/**
 * What was found out of an organization a moment ago, for who asks next (RFC 5861): at most 3 s old. Of equal questions at once one is asked. A
 * question knows of nobody but the organization and the texts that tell it apart, so that no answer reaches another organization.
 */
export class StaleWhileRevalidate<Rest extends readonly string[], T> {
  readonly #ask: (org_id: string, ...rest: Rest) => Promise<T>;
  readonly #now: () => number;
  readonly #answers: LRUCache<string, Answer<T>, () => Promise<T>>;

  /** `ask`: its failure is that of who waits for it; `now`: in milliseconds. */
  constructor(ask: (org_id: string, ...rest: Rest) => Promise<T>, { now = () => performance.now() }: { now?: () => number } = {}) {
    this.#ask = ask;
    this.#now = now;
    this.#answers = new LRUCache({
      max: answersMost,
      // Who waits gets an answer, though others took its place meanwhile.
      ignoreFetchAbort: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (_key, _known, { context: askNow }) => {
        const askedAt = now();
        return { value: await askNow(), askedAt };
      },
    });
  }

  async get(org_id: string, ...rest: Rest): Promise<T> {
    const key = JSON.stringify([org_id, ...rest]);
    const known = this.#answers.peek(key);
    const age = known === undefined ? staleMs : this.#now() - known.askedAt;
    const { value } = await this.#answers.forceFetch(key, {
      forceRefresh: age >= freshMs,
      allowStale: age < staleMs,
      context: () => this.#ask(org_id, ...rest),
    });
    return value;
  }
}
