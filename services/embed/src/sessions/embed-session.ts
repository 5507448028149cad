import { createProjection, EmbedSession, type StateOf, withDates } from '@webkiln/contract';

export const StoredEmbedSession = withDates(EmbedSession);

/** A user of an agency's program in the builder. Stored without its token. */
export interface EmbedSessionState extends StateOf<typeof StoredEmbedSession> {
  org_id: string;
  /** SHA-256 (base64url) of the token, which has 256 random bits. */
  token_hash: string;
  revoked_at: Date | null;
  /** The client is suspended or has left: the token does not work meanwhile. */
  paused: boolean;
  /** Its place in the organization's quota, while it is not revoked. */
  place?: number | null;
}

/** The public record. */
export const toEmbedSession = createProjection(StoredEmbedSession);

const lifeMs = 24 * 3_600_000;

type Opened = Omit<EmbedSessionState, 'created_at' | 'expires_at' | 'revoked_at' | 'paused' | 'place'>;

/** A new session, which lasts 24 hours. */
export const openSession = (opened: Opened, now: Date): EmbedSessionState => ({
  ...opened,
  created_at: now,
  expires_at: new Date(now.getTime() + lifeMs),
  revoked_at: null,
  paused: false,
});
