import { changedFields, type EmbedClient } from '@webkiln/contract';
import type { KeptSecret } from '../keys/key-secret.ts';

/** What a program of an organization proves itself with to embed the builder, and where that may be shown. Never its secret's text. */
export interface EmbedClientState {
  _id: string;
  org_id: string;
  name: string;
  /** As the URL standard writes them, each once. */
  allowed_origins: string[];
  secret_hash: string;
  /** The text's first 10 characters, for people to tell secrets apart. */
  secret_prefix: string;
  /** Works beside the present one until `previous_secret_until`. */
  previous_secret_hash: string | null;
  previous_secret_until: Date | null;
  /** The request that made the secret: a repeat of it finds its work done. */
  rotation: string;
  created_at: Date;
}

/** A secret, and the request that made it. */
export interface MadeSecret extends KeptSecret {
  readonly rotation: string;
}

type Shown = Pick<EmbedClientState, '_id' | 'name' | 'allowed_origins' | 'secret_prefix' | 'previous_secret_until' | 'created_at'>;

const changeable = ['name', 'allowed_origins'] as const satisfies readonly (keyof EmbedClientState)[];
export type EmbedClientFields = Pick<EmbedClientState, (typeof changeable)[number]>;

const hourMs = 3_600_000;

/** The REST shape. */
export const toEmbedClient = (client: Shown): EmbedClient => ({
  id: client._id,
  name: client.name,
  allowed_origins: client.allowed_origins,
  secret_prefix: client.secret_prefix,
  previous_secret_until: client.previous_secret_until?.toISOString() ?? null,
  created_at: client.created_at.toISOString(),
});

const eachOnce = (origins: readonly string[]) => [...new Set(origins)];

const keptOf = ({ prefix, hash, rotation }: MadeSecret) => ({ secret_prefix: prefix, secret_hash: hash, rotation });

export const openEmbedClient = (
  { name, allowed_origins, ...draft }: Pick<EmbedClientState, '_id' | 'org_id'> & EmbedClientFields,
  made: MadeSecret,
  now: Date,
): EmbedClientState => ({
  ...draft,
  name,
  allowed_origins: eachOnce(allowed_origins),
  ...keptOf(made),
  previous_secret_hash: null,
  previous_secret_until: null,
  created_at: now,
});

/** The fields that differ; null when none does. */
export const changeEmbedClient = (current: EmbedClientState, wanted: Partial<EmbedClientFields>): Partial<EmbedClientState> | null =>
  changedFields(
    current,
    wanted.allowed_origins === undefined ? wanted : { ...wanted, allowed_origins: eachOnce(wanted.allowed_origins) },
    changeable,
  );

/**
 * The change to another secret, the present one working on for the hours of grace. What an earlier attempt of the same request made was never
 * shown: the new text takes its place, and the one in its grace stays.
 */
export function rotateSecret(current: EmbedClientState, made: MadeSecret, graceHours: number, now: Date): Partial<EmbedClientState> {
  if (isRepeated(current, made)) return keptOf(made);
  if (graceHours === 0) return { ...keptOf(made), previous_secret_hash: null, previous_secret_until: null };
  const previous_secret_until = new Date(now.getTime() + graceHours * hourMs);
  return { ...keptOf(made), previous_secret_hash: current.secret_hash, previous_secret_until };
}

/** Whether an earlier attempt of the same request made the present secret: the log knows of it. */
export const isRepeated = (current: Pick<EmbedClientState, 'rotation'>, made: MadeSecret): boolean => current.rotation === made.rotation;
