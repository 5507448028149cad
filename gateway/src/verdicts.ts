import { AppError } from '@webkiln/contract';
import { type Caller, callerFor, type Principal, servicePrincipal } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';

/** What identity said of a credential, and when. */
export interface Verdict {
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The organization's own quota, if it has one. */
  readonly rateLimit: number | undefined;
  checkedAt: number;
}

/** Undefined for a credential that is not valid (any more). */
export type Answer = Verdict | undefined;

const askTimeoutMs = 2000;
/** With the feed of revocations alive a verdict needs no second look for a while; without it, it is 5 s at most out of date. */
const freshWithFeedMs = 60_000;
const freshWithoutFeedMs = 5000;
/** How long a last verdict stands in for an identity that cannot be reached. */
const standInMs = 600_000;

interface Options {
  /** What is asked about, for the log: "keys". */
  readonly what: string;
  /** Asks identity for many at once. */
  readonly ask: (digests: readonly string[]) => Promise<Answer[]>;
  readonly feedIsLive: () => boolean;
  readonly now?: () => number;
}

/** Whose change makes a verdict void: the credential itself, and the account where it is somebody's session. */
const subjectsOf = ({ principal }: Verdict): string[] =>
  principal.account_id === undefined ? [principal.credential_id] : [principal.credential_id, principal.account_id];

/** The credentials of one kind that this gateway has met, bounded in number; identity is asked for many at once. */
export class Verdicts {
  readonly #verdicts = new LRUCache<string, Verdict>({ max: 50_000, dispose: (verdict, digest) => this.#forget(verdict, digest) });
  readonly #digestsOf = new Map<string, Set<string>>();
  /** When a subject last changed: an answer that was under way at that moment may be from before it. */
  readonly #changedAt = new LRUCache<string, number>({ max: 10_000, ttl: askTimeoutMs * 2 });
  readonly #lookUp: DataLoader<string, Answer>;
  readonly #options: Options;
  readonly #now: () => number;
  /** Verdicts from before this moment must be asked for again: a revocation may have been missed. */
  #trustedSince = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#lookUp = new DataLoader<string, Answer>((digests) => options.ask(digests), { cache: false, maxBatchSize: 500 });
  }

  /** The verdict on a credential by its SHA-256 (base64url), or undefined for one that is not valid (any more). Throws `unavailable`. */
  async find(digest: string): Promise<Answer> {
    const known = this.#verdicts.get(digest);
    const now = this.#now();
    if (known !== undefined && this.#isFresh(known, now)) return known.expiresAt > now ? known : undefined;
    try {
      const answer = await this.#lookUp.load(digest);
      if (answer === undefined) {
        this.#verdicts.delete(digest);
        return undefined;
      }
      if (this.#changedMeanwhile(answer)) return await this.find(digest);
      this.#remember(answer, digest);
      return answer;
    } catch (error) {
      if (known === undefined || now - known.checkedAt > standInMs) throw new AppError('unavailable', [], { cause: error });
      return known.expiresAt > now ? known : undefined;
    }
  }

  /** A credential, or all that an account has, was revoked, rotated or otherwise changed: ask anew before it is used again. */
  drop(subject: string): void {
    this.#changedAt.set(subject, this.#now());
    for (const digest of [...(this.#digestsOf.get(subject) ?? [])]) this.#verdicts.delete(digest);
  }

  /** Changes may have been missed: every verdict is asked for again at its next use, and stands in until then. */
  distrust(): void {
    this.#trustedSince = this.#now();
    logger.info({ what: this.#options.what }, 'verdicts are checked again: the feed of revocations was interrupted');
  }

  #changedMeanwhile(verdict: Verdict): boolean {
    return subjectsOf(verdict).some((subject) => verdict.checkedAt <= (this.#changedAt.get(subject) ?? Number.NEGATIVE_INFINITY));
  }

  #isFresh(verdict: Verdict, now: number): boolean {
    const freshMs = this.#options.feedIsLive() ? freshWithFeedMs : freshWithoutFeedMs;
    return verdict.checkedAt > this.#trustedSince && now - verdict.checkedAt < freshMs;
  }

  #remember(verdict: Verdict, digest: string): void {
    this.#verdicts.set(digest, verdict);
    for (const subject of subjectsOf(verdict)) {
      const digests = this.#digestsOf.get(subject);
      if (digests === undefined) this.#digestsOf.set(subject, new Set([digest]));
      else digests.add(digest);
    }
  }

  #forget(verdict: Verdict, digest: string): void {
    for (const subject of subjectsOf(verdict)) {
      const digests = this.#digestsOf.get(subject);
      digests?.delete(digest);
      if (digests?.size === 0) this.#digestsOf.delete(subject);
    }
  }
}

const gateway = servicePrincipal('gateway', '');

/** For what the gateway asks identity of its own accord. */
export const asker = (): Caller => callerFor(gateway, { timeoutMs: askTimeoutMs });
