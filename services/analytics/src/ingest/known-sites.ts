import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

const askTimeoutMs = 2000;
/** For how long a first view of a site waits to hear whether there is one: it is accepted if nobody says. */
const waitMs = 150;
/** Names that are published stay so as a rule; changes are heard of besides. */
const publishedForMs = 10 * 60_000;
const unpublishedForMs = 5000;
const namesMost = 50_000;
/** Nobody needs to know the age of an answer any closer, and each look at the clock costs. */
const clockStepMs = 500;
/** Names that nobody has heard of are no reason to be a burden on the service that knows. */
const askingMost = 16;

interface Options {
  /** Whether there is somebody to ask. */
  readonly canAsk: () => boolean;
}

/** Which names are published, as far as that is known: views need no answer to be accepted, only to be refused. */
export class KnownSites {
  readonly #published = new LRUCache<string, boolean>({ max: namesMost, ttlResolution: clockStepMs });
  readonly #asking = new Map<string, Promise<void>>();
  readonly #canAsk: () => boolean;

  constructor({ canAsk }: Options) {
    this.#canAsk = canAsk;
  }

  /** Whether something is published under a name; undefined when that is not known. */
  known(name: string): boolean | undefined {
    return this.#published.get(name);
  }

  /** As `known`, after asking for a moment; what comes later is known to the next view. */
  async find(name: string): Promise<boolean | undefined> {
    if (!this.#canAsk()) return undefined;
    const asking = this.#asking.get(name) ?? (this.#asking.size < askingMost ? this.#ask(name) : undefined);
    if (asking === undefined) return undefined;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([asking, waited]);
    clearTimeout(timer);
    return this.known(name);
  }

  /** Something was published under a name, or is no longer. */
  forget(name: string): void {
    this.#published.delete(name);
    this.#asking.delete(name);
  }

  #ask(name: string): Promise<void> {
    const asking: Promise<void> = isPublished(name)
      .then((published) => {
        // Changed while the answer was on its way: it may be from before.
        if (this.#asking.get(name) === asking) this.#published.set(name, published, { ttl: published ? publishedForMs : unpublishedForMs });
      })
      .catch((error: unknown) => logger.debug({ err: error, site: name }, 'nobody says whether this site is published'))
      .finally(() => {
        if (this.#asking.get(name) === asking) this.#asking.delete(name);
      });
    this.#asking.set(name, asking);
    return asking;
  }
}

const analytics = servicePrincipal('analytics', '');

const isPublished = async (name: string): Promise<boolean> =>
  (await call('sites.IdentifySite', { name }, callerFor(analytics, { timeoutMs: askTimeoutMs }))).found;
