import { changedFields, createProjection, EmbedClient, inputFields, type StateOf, updateEmbedClient, withDates } from '@webkiln/contract';
import type { Hashes, Rehash, StoredSecret } from '../keys/key-secret.ts';

export const StoredEmbedClient = withDates(EmbedClient);

/**
 * A credential with which an organization's program embeds the builder, and the origins that may show it: serialized
 * per the URL standard, without duplicates. Stored without the secret.
 */
export interface EmbedClientState extends StateOf<typeof StoredEmbedClient> {
  org_id: string;
  secret_hash: string;
  /** Works beside the current secret until `previous_secret_until`. */
  previous_secret_hash: string | null;
  /** The id of the request that issued the secret, by which a retry recognizes its own work. */
  rotation: string;
  /** Its place in the organization's quota. */
  place?: number | null;
}

/** A secret, the request that issued it, and the member that it is shown to by a rotation. */
export interface IssuedSecret extends StoredSecret {
  readonly rotation: string;
  readonly rotated_by: string | null;
}

const changeable = inputFields(updateEmbedClient);
export type EmbedClientFields = Pick<EmbedClientState, (typeof changeable)[number]>;

const hourMs = 3_600_000;

/** The public record. */
export const toEmbedClient = createProjection(StoredEmbedClient);

const withoutDuplicates = (origins: readonly string[]) => [...new Set(origins)];

const storedFields = ({ prefix, hash, rotation, rotated_by }: IssuedSecret) => ({
  secret_prefix: prefix,
  secret_hash: hash,
  rotation,
  rotated_by,
});

export const openEmbedClient = (
  { allowed_origins, ...draft }: Pick<EmbedClientState, '_id' | 'org_id' | 'created_by'> & EmbedClientFields,
  issued: IssuedSecret,
  now: Date,
): EmbedClientState => ({
  ...draft,
  allowed_origins: withoutDuplicates(allowed_origins),
  ...storedFields(issued),
  previous_secret_hash: null,
  previous_secret_until: null,
  created_at: now,
});

/** The changed fields; null if nothing changes. */
export const changeEmbedClient = (current: EmbedClientState, wanted: Partial<EmbedClientFields>): Partial<EmbedClientState> | null =>
  changedFields(
    current,
    wanted.allowed_origins === undefined ? wanted : { ...wanted, allowed_origins: withoutDuplicates(wanted.allowed_origins) },
    changeable,
  );

/**
 * Replaces the secret; the current one keeps working for the grace period. A secret that an earlier attempt of the same
 * request issued was never shown: it is replaced, and the previous secret keeps its grace period.
 */
export function rotateSecret(current: EmbedClientState, issued: IssuedSecret, graceHours: number, now: Date): Partial<EmbedClientState> {
  if (isRetry(current, issued)) return storedFields(issued);
  if (graceHours === 0) return { ...storedFields(issued), previous_secret_hash: null, previous_secret_until: null };
  const previous_secret_until = new Date(now.getTime() + graceHours * hourMs);
  return { ...storedFields(issued), previous_secret_hash: current.secret_hash, previous_secret_until };
}

/** Ends the secret: nobody knows the next one, so it must be rotated before the client works again. */
export const endSecret = (current: EmbedClientState, id: string, now: Date): Partial<EmbedClientState> =>
  rotateSecret(current, { prefix: 'ended', hash: `ended by ${id}`, rotation: id, rotated_by: null }, 0, now);

/** True if an earlier attempt of the same request issued the current secret and audited it. */
export const isRetry = (current: Pick<EmbedClientState, 'rotation'>, issued: IssuedSecret): boolean => current.rotation === issued.rotation;

/** True for a hash of the current secret, and of the one before in its grace period. */
export const isSecretOf = (
  { secret_hash, previous_secret_hash, previous_secret_until }: EmbedClientState,
  hashes: Hashes,
  now: Date,
): boolean =>
  hashes.includes(secret_hash) ||
  (previous_secret_hash !== null && hashes.includes(previous_secret_hash) && previous_secret_until !== null && previous_secret_until > now);

/** The change of the current secret's hash if it is under an older pepper. */
export const rehashOf = ({ secret_hash: from }: EmbedClientState, hashes: Hashes): Rehash[] =>
  from !== hashes[0] && hashes.includes(from) ? [{ from, to: hashes[0] }] : [];
