import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Site } from './site.ts';

/** While changes are heard of, what is known is looked at again now and then, beside the requests that use it. */
const reviewAfterMs = 10_000;
/** While they are not, a new deploy must show within a second all the same. */
const freshUnheardMs = 800;
/** How long what is known stands in before an answer is hoped for again. */
const standInMs = 1000;
/** Names and files that are remembered, all sites together: a few hundred bytes each. */
const entriesMost = 100_000;

interface Known {
  readonly site: Site | null;
  readonly askedAt: number;
  /** Until then it is used whatever its age: asking has just failed. */
  standsInUntil: number;
}

interface Options {
  /** Asks what a name stands for; null for nothing. */
  readonly resolve: (name: string) => Promise<Site | null>;
  /** Whether changes are heard of at this moment. */
  readonly feedIsLive: () => boolean;
  /** Whether there is somebody to ask. */
  readonly canAsk: () => boolean;
  readonly now?: () => number;
}

/** What names stand for, of sites or of previews, as far as anybody asked: the last answer goes on being used while no new one can be had. */
export class Resolutions {
  readonly #known = new LRUCache<string, Known>({ maxSize: entriesMost, sizeCalculation: ({ site }) => 1 + (site?.files.size ?? 0) });
  readonly #asking = new Map<string, Promise<Site | null>>();
  readonly #options: Options;
  readonly #now: () => number;
  /** Answers from before this moment may be out of date: a change may have been missed. */
  #trustedSince = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** What is live under a name, null for nothing; undefined when that has to be found first. */
  known(name: string): Site | null | undefined {
    const known = this.#known.get(name);
    if (known === undefined) return undefined;
    const now = this.#now();
    if (now < known.standsInUntil) return known.site;
    const age = now - known.askedAt;
    if (known.askedAt < this.#trustedSince) return undefined;
    if (!this.#options.feedIsLive()) return age < freshUnheardMs ? known.site : undefined;
    if (age > reviewAfterMs) this.#ask(name).catch(() => this.#standIn(known));
    return known.site;
  }

  /** As `known`, and finds it; many who look for one name at once are one question. Throws an `AppError` when nothing is known and nobody answers. */
  async find(name: string): Promise<Site | null> {
    const known = this.known(name);
    if (known !== undefined) return known;
    const last = this.#known.peek(name);
    if (last !== undefined && !this.#options.canAsk()) return last.site;
    try {
      return await this.#ask(name);
    } catch (error) {
      if (last === undefined) throw error;
      this.#standIn(last);
      return last.site;
    }
  }

  /** Another deploy is live under the name, or none: it is asked for before it is used again, and what was known stands in at most. */
  distrust(name: string): void {
    this.#asking.delete(name);
    const known = this.#known.peek(name);
    if (known !== undefined) this.#known.set(name, { ...known, askedAt: Number.NEGATIVE_INFINITY, standsInUntil: 0 });
  }

  /** Changes may have been missed. */
  distrustAll(): void {
    this.#trustedSince = this.#now();
    logger.info('sites are looked up again: the feed of changes was interrupted');
  }

  #standIn(known: Known): void {
    known.standsInUntil = this.#now() + standInMs;
  }

  #ask(name: string): Promise<Site | null> {
    const underWay = this.#asking.get(name);
    if (underWay !== undefined) return underWay;
    const askedAt = this.#now();
    const asking = this.#options
      .resolve(name)
      .then((site) => {
        // Changed while the answer was on its way: it may be from before.
        if (this.#asking.get(name) !== asking) return this.find(name);
        this.#known.set(name, { site, askedAt, standsInUntil: 0 });
        return site;
      })
      .finally(() => {
        if (this.#asking.get(name) === asking) this.#asking.delete(name);
      });
    this.#asking.set(name, asking);
    return asking;
  }
}
