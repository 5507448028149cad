import type { SecretList } from '@webkiln/runtime';

/** What AUTH_SECRET gives. */
export interface AuthKeys {
  /** The first signs and seals what is new, each verifies and opens. */
  readonly secrets: SecretList;
  /**
   * Derives the keys of digests by which records are found. It never changes, since a digest cannot be made again
   * without its text.
   */
  readonly digestMaster: Uint8Array;
}
