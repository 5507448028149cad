import { AppError, type Permission } from '@webkiln/contract';
import { type Caller, call, callerFor, type Principal, servicePrincipal } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';

/** What identity said of a key, and when. */
export interface KeyVerdict {
  readonly keyId: string;
  readonly principal: Principal;
  readonly permissions: ReadonlySet<Permission>;
  readonly expiresAt: number;
  /** The organization's own quota, if it has one. */
  readonly rateLimit: number | undefined;
  checkedAt: number;
}

type Answer = { valid: true; verdict: KeyVerdict } | { valid: false };

const askTimeoutMs = 2000;
/** With the feed of revocations alive a verdict needs no second look for a while; without it, it is 5 s at most out of date. */
const freshWithFeedMs = 60_000;
const freshWithoutFeedMs = 5000;
/** How long a last verdict stands in for an identity that cannot be reached. */
const standInMs = 600_000;

interface Options {
  readonly feedIsLive: () => boolean;
  readonly now?: () => number;
}

/** The keys this gateway has met, bounded in number; identity is asked for many at once. */
export class KeyVerdicts {
  readonly #verdicts = new LRUCache<string, KeyVerdict>({ max: 50_000, dispose: (verdict, digest) => this.#forget(verdict.keyId, digest) });
  readonly #digestOf = new Map<string, string>();
  /** When a key last changed: an answer that was under way at that moment may be from before it. */
  readonly #changedAt = new LRUCache<string, number>({ max: 10_000, ttl: askTimeoutMs * 2 });
  readonly #lookUp = new DataLoader<string, Answer>((digests) => ask(digests), { cache: false, maxBatchSize: 500 });
  readonly #options: Options;
  readonly #now: () => number;
  /** Verdicts from before this moment must be asked for again: a revocation may have been missed. */
  #trustedSince = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The verdict on a key by its SHA-256 (base64url), or undefined for one that is not valid (any more). Throws `unavailable`. */
  async find(digest: string): Promise<KeyVerdict | undefined> {
    const known = this.#verdicts.get(digest);
    const now = this.#now();
    if (known !== undefined && this.#isFresh(known, now)) return known.expiresAt > now ? known : undefined;
    try {
      const answer = await this.#lookUp.load(digest);
      if (!answer.valid) {
        this.#verdicts.delete(digest);
        return undefined;
      }
      if (this.#changedMeanwhile(answer.verdict)) return await this.find(digest);
      this.#verdicts.set(digest, answer.verdict);
      this.#digestOf.set(answer.verdict.keyId, digest);
      return answer.verdict;
    } catch (error) {
      if (known === undefined || now - known.checkedAt > standInMs) throw new AppError('unavailable', [], { cause: error });
      return known.expiresAt > now ? known : undefined;
    }
  }

  /** A key was revoked, rotated or otherwise changed: ask anew before it is used again. */
  drop(keyId: string): void {
    this.#changedAt.set(keyId, this.#now());
    const digest = this.#digestOf.get(keyId);
    if (digest !== undefined) this.#verdicts.delete(digest);
  }

  /** Changes may have been missed: every verdict is asked for again at its next use, and stands in until then. */
  distrust(): void {
    this.#trustedSince = this.#now();
    logger.info('key verdicts are checked again: the feed of revocations was interrupted');
  }

  #changedMeanwhile({ keyId, checkedAt }: KeyVerdict): boolean {
    const changedAt = this.#changedAt.get(keyId);
    return changedAt !== undefined && checkedAt <= changedAt;
  }

  #isFresh(verdict: KeyVerdict, now: number): boolean {
    const freshMs = this.#options.feedIsLive() ? freshWithFeedMs : freshWithoutFeedMs;
    return verdict.checkedAt > this.#trustedSince && now - verdict.checkedAt < freshMs;
  }

  #forget(keyId: string, digest: string): void {
    if (this.#digestOf.get(keyId) === digest) this.#digestOf.delete(keyId);
  }
}

const gateway = servicePrincipal('gateway', '');
const asker = (): Caller => callerFor(gateway, { timeoutMs: askTimeoutMs });

async function ask(digests: readonly string[]): Promise<Answer[]> {
  const checkedAt = Date.now();
  const { verdicts } = await call('identity.VerifyKeys', { key_digests: digests }, asker());
  return verdicts.map((verdict): Answer => {
    if (!verdict.valid) return { valid: false };
    const permissions = verdict.permissions as Permission[];
    return {
      valid: true,
      verdict: {
        keyId: verdict.key_id,
        principal: { kind: 'api_key', org_id: verdict.org_id, credential_id: verdict.key_id, permissions },
        permissions: new Set(permissions),
        expiresAt: verdict.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(verdict.expires_at),
        rateLimit: verdict.rate_limit,
        checkedAt,
      },
    };
  });
}
