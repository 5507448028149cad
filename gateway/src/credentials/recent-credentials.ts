import type { Principal } from '@webkiln/messages';
import { LRUCache } from 'lru-cache';

/** A valid credential, as identity described it. */
export interface ActiveCredential {
  readonly principal: Principal;
  /** Unix time in ms. */
  readonly expiresAt: number;
  /** The organization's own quota, if it has one. */
  readonly rateLimit: number | undefined;
  /** Requests per window over all of the organization's credentials, if an operator has set it. */
  readonly requestsLimit: number | undefined;
  /** True while an operator has suspended the organization. */
  readonly isSuspended: boolean;
  /** Of an OAuth token: the resource that it was issued for (RFC 8707). */
  readonly resource?: string;
  /** When identity was asked; Unix time in ms. */
  checkedAt: number;
}

/**
 * Ids whose change invalidates a credential: its own, its organization's, and for a session or an OAuth token the
 * account's.
 */
export const subjectsOf = ({ principal: { credential_id, org_id, account_id } }: ActiveCredential): string[] =>
  account_id === undefined ? [credential_id, org_id] : [credential_id, org_id, account_id];

/** The 50,000 credentials used last, by digest, and the digests of each subject. */
export class RecentCredentials {
  readonly #digestsOf = new Map<string, Set<string>>();
  readonly #credentials = new LRUCache<string, ActiveCredential>({
    max: 50_000,
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
