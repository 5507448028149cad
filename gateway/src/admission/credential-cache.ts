import { type AgentOpening, AppError } from '@webkiln/contract';
import { type Caller, callerFor, type Principal, servicePrincipal } from '@webkiln/messages';
import { batched, growingTo, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

/** The credential of a request, however its caller proved itself. */
export interface Credential {
  readonly principal: Principal;
  /** The organization's own quota, if it has one. */
  readonly rateLimit: number | undefined;
  /** The key's own quota, which counts where it is less than its organization's. */
  readonly keyRateLimit?: number | undefined;
  /** Tells whether the key may be used from an IP address; absent: from all. */
  readonly mayComeFrom?: ((ip: string) => boolean) | undefined;
  /** Requests per window over all of the organization's credentials, if an operator has set it. */
  readonly requestsLimit: number | undefined;
  /** True for a client who joined by a build link: such clients share a part of the organization's requests. */
  readonly joinedByLink?: boolean;
  /** True for a secret that no page of a browser may send. */
  readonly isForServersOnly?: boolean;
  /** True while an operator has suspended the organization. */
  readonly isSuspended: boolean;
  /** True for a session of a member without the second factor that the organization requires. */
  readonly needsSecondFactor?: boolean;
  /** What the organization lets agents do: for an OAuth token, which an agent has. */
  readonly agentAccess?: AgentOpening;
}

/** A valid credential, as identity described it. */
export interface ActiveCredential extends Credential {
  /** Unix time in ms. */
  readonly expiresAt: number;
  /** The resource that an OAuth token was issued for (RFC 8707). */
  readonly resource?: string;
  /** When identity was asked; Unix time in ms. */
  checkedAt: number;
}

/** Token introspection (RFC 7662): undefined for a credential that is not active. */
export type IntrospectionResult = ActiveCredential | undefined;

export const introspectionTimeoutMs = 2000;
/**
 * While revocation events arrive a result may be used for a minute; without them a revocation must take effect within
 * 5 s.
 */
const maxAgeWithFeedMs = 60_000;
const maxAgeWithoutFeedMs = 5000;
/** How long the last result is used while identity cannot be reached. */
const maxStaleMs = 600_000;

interface Options {
  /** Kind of the credentials, for the log: "keys". */
  readonly kind: string;
  /** Asks identity about a batch of digests; results are in the same order, and an Error fails its digest alone. */
  readonly introspect: (digests: readonly string[]) => Promise<(IntrospectionResult | Error)[]>;
  readonly feedIsLive: () => boolean;
}

/** Caches the introspection results of one kind of credential, up to 50,000. Concurrent lookups are batched. */
export class CredentialCache {
  readonly #credentials = new RecentCredentials();
  /** When a subject last changed: a lookup in flight at that moment may hold the state before it. */
  readonly #changedAt = new LRUCache<string, number>({ max: 10_000, ttl: introspectionTimeoutMs * 2 });
  readonly #introspect: (digest: string) => Promise<IntrospectionResult>;
  readonly #options: Options;
  /** Results from before this time need a new lookup: a revocation may have been missed. */
  #validSince = 0;

  constructor(options: Options) {
    this.#options = options;
    // No batch waits for another one: a replica of identity that hangs must not delay the others' answers.
    this.#introspect = batched(options.introspect, { maxInFlight: Number.POSITIVE_INFINITY });
  }

  /** True if the credential was active when it was last looked up, however long ago. */
  isKnown(digest: string): boolean {
    return this.#credentials.get(digest) !== undefined;
  }

  /**
   * Finds a credential by its SHA-256 (base64url). Throws `unavailable` if identity cannot be reached and no recent
   * result is known.
   */
  async find(digest: string): Promise<IntrospectionResult> {
    const known = this.#credentials.get(digest);
    const now = performance.now();
    if (known !== undefined && this.#isFresh(known, now)) return unlessExpired(known);
    try {
      const result = await this.#introspect(digest);
      if (result === undefined) {
        this.#credentials.delete(digest);
        return undefined;
      }
      if (this.#changedDuringIntrospection(result)) return await this.find(digest);
      this.#credentials.set(digest, result);
      return result;
    } catch (error) {
      if (known === undefined || now - known.checkedAt > maxStaleMs) throw new AppError('unavailable', [], { cause: error });
      return unlessExpired(known);
    }
  }

  /** Invalidates a credential, or every session of an account, after a change such as a revocation or rotation. */
  drop(subject: string): void {
    this.#changedAt.set(subject, performance.now());
    this.#credentials.deleteAllOf(subject);
  }

  /**
   * Every credential is looked up again at its next use; the old result still serves while identity cannot be
   * reached.
   */
  revalidateAll(): void {
    this.#validSince = performance.now();
    logger.info({ kind: this.#options.kind }, 'revocation feed was interrupted; credentials are revalidated at their next use');
  }

  #changedDuringIntrospection(credential: ActiveCredential): boolean {
    return subjectsOf(credential).some((subject) => credential.checkedAt <= (this.#changedAt.get(subject) ?? Number.NEGATIVE_INFINITY));
  }

  #isFresh(credential: ActiveCredential, now: number): boolean {
    const freshMs = this.#options.feedIsLive() ? maxAgeWithFeedMs : maxAgeWithoutFeedMs;
    return credential.checkedAt > this.#validSince && now - credential.checkedAt < freshMs;
  }
}

/** Expiry is a time of the calendar; the age of a result is not. */
const unlessExpired = (credential: ActiveCredential): IntrospectionResult => (credential.expiresAt > Date.now() ? credential : undefined);

const gateway = servicePrincipal('gateway', '');

/** The gateway calls identity in its own name, not for a user. */
export const introspectionCaller = (): Caller => callerFor(gateway, { timeoutMs: introspectionTimeoutMs });

/**
 * Ids whose change invalidates a credential: its own, its organization's, and for a session or an OAuth token the
 * account's.
 */
const subjectsOf = ({ principal: { credential_id, org_id, account_id } }: ActiveCredential): string[] =>
  account_id === undefined ? [credential_id, org_id] : [credential_id, org_id, account_id];

/** The 50,000 credentials used last, by digest, and the digests of each subject. */
class RecentCredentials {
  readonly #digestsOf = new Map<string, Set<string>>();
  readonly #credentials = new LRUCache<string, ActiveCredential>({
    ...growingTo(50_000),
    dispose: (credential, digest) => this.#unlink(credential, digest),
  });

  get(digest: string): ActiveCredential | undefined {
    return this.#credentials.get(digest);
  }

  set(digest: string, credential: ActiveCredential): void {
    this.#credentials.set(digest, credential);
    for (const subject of subjectsOf(credential)) {
      const digests = this.#digestsOf.get(subject);
      if (digests === undefined) this.#digestsOf.set(subject, new Set([digest]));
      else digests.add(digest);
    }
  }

  delete(digest: string): void {
    this.#credentials.delete(digest);
  }

  deleteAllOf(subject: string): void {
    for (const digest of [...(this.#digestsOf.get(subject) ?? [])]) this.delete(digest);
  }

  #unlink(credential: ActiveCredential, digest: string): void {
    for (const subject of subjectsOf(credential)) {
      const digests = this.#digestsOf.get(subject);
      digests?.delete(digest);
      if (digests?.size === 0) this.#digestsOf.delete(subject);
    }
  }
}
