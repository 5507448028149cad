import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { CredentialText, CredentialTexts } from '@webkiln/contract';
import { logger, type SecretList } from '@webkiln/runtime';
import { type OutcomeSealer, openUnder, organizationKeys, seal } from '@webkiln/sealing';

/** Turns a credential's SHA-256 (base64url) into the stored hash, which is useless without the pepper. */
export interface KeyHash {
  /** The hash of what is new, under the first pepper. */
  (digest: string): string;
  /** The hashes under every pepper, that of the first one first. */
  all(digest: string): Hashes;
}

/** The current hash of a credential, then those under older peppers. */
export type Hashes = SecretList;

/** A stored hash under an older pepper, and the one to store in its place. */
export interface Rehash {
  readonly from: string;
  readonly to: string;
}

/** The stored part of a credential. Its text is never stored. */
export interface StoredSecret {
  readonly prefix: string;
  readonly hash: string;
}

/** A new credential's text and its stored part. */
interface NewSecret<P extends string> {
  readonly secret: CredentialText<P>;
  readonly stored: StoredSecret;
}

/** HMAC-SHA256 (RFC 2104) over the digest's bytes, base64url. */
export function keyHash(peppers: SecretList<Uint8Array>): KeyHash {
  // Made once: bytes in place of a key object cost an exception per digest.
  const [first, ...older] = peppers.map((pepper) => createSecretKey(pepper)) as [KeyObject, ...KeyObject[]];
  const under = (pepper: KeyObject, digest: string) => createHmac('sha256', pepper).update(digest, 'base64url').digest('base64url');
  const current = (digest: string) => under(first, digest);
  const all = (digest: string): Hashes => [current(digest), ...older.map((pepper) => under(pepper, digest))];
  return Object.assign(current, { all });
}

/** The record that is stored under one of the hashes, and its change of hash if that is not the current one. */
export function foundUnder<R>(records: ReadonlyMap<string, R>, hashes: Hashes): { record: R; rehash?: Rehash } | undefined {
  for (const from of hashes) {
    const record = records.get(from);
    if (record !== undefined) return from === hashes[0] ? { record } : { record, rehash: { from, to: hashes[0] } };
  }
  return;
}

/** Stores current hashes of used credentials, so that older peppers can go. The next use makes up for a failure. */
export async function rehash(rehashes: readonly Rehash[], store: (rehashes: readonly Rehash[]) => Promise<unknown>): Promise<void> {
  if (rehashes.length === 0) return;
  await store(rehashes).catch((err: unknown) =>
    logger.warn({ err }, 'storing hashes under the first of KEY_PEPPER failed; the next use repeats it'),
  );
}

export function newSecret<P extends string>(hashOf: KeyHash, { format, shown, digest }: CredentialTexts<P>): NewSecret<P> {
  const secret = format(randomBytes(32));
  return { secret, stored: { prefix: shown(secret), hash: hashOf(digest(secret)) } };
}

/** Seals stored outcomes under a key per organization, derived from the first pepper; each pepper opens its own. */
export function keyOutcomes(peppers: SecretList<Uint8Array>): OutcomeSealer {
  const keysOf = (orgId: string) => organizationKeys(peppers, `outcomes of ${orgId}`);
  return {
    seal: (orgId, bytes) => seal(keysOf(orgId)[0], bytes),
    open: (orgId, sealed) => openUnder(keysOf(orgId), sealed).bytes,
  };
}
