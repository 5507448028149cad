import { acrossOrganizations, batchedById, defineModel, type Stored, where } from '@webkiln/store';

/** A user of an agency's program in the builder, for 24 hours at most. Stored without its token. */
export interface EmbedSessionState {
  _id: string;
  org_id: string;
  /** SHA-256 (base64url) of the token, which has 256 random bits. */
  token_hash: string;
  embed_client_id: string;
  user_id: string;
  /** The client that the user belongs to. */
  client_id: string | null;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
}

export type EmbedSessionRecord = Stored<EmbedSessionState>;

export const EmbedSessionModel = defineModel<EmbedSessionState>(
  'embed_sessions',
  {
    token_hash: { type: String, required: true },
    embed_client_id: { type: String, required: true },
    user_id: { type: String, required: true },
    client_id: { type: String, default: null },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  { indexesAcross: [[{ token_hash: 1 }, { unique: true }]] },
);

const byId = batchedById(EmbedSessionModel);

/** Sessions that have neither expired nor been revoked, by the hashes of their tokens. */
export async function liveSessionsByHash(hashes: readonly string[]): Promise<Map<string, EmbedSessionRecord>> {
  const live = { token_hash: where({ $in: [...hashes] }), revoked_at: null, expires_at: where({ $gt: new Date() }) };
  const owners = await acrossOrganizations(EmbedSessionModel).owners('_id', 'created_at', live);
  const found = await Promise.all(owners.map(({ org_id, key }) => byId({ org_id }, key)));
  return new Map(found.filter((session) => session !== null).map((session) => [session.token_hash, session]));
}
