import { getEmbedSession } from './get-embed-session.ts';
import { listEmbedSessions } from './list-embed-sessions.ts';
import { openEmbedSession } from './open-embed-session.ts';
import { revokeEmbedSession } from './revoke-embed-session.ts';
import { verifyEmbedTokens } from './verify-embed-tokens.ts';

export const sessionUseCases = (origin: string) => [
  verifyEmbedTokens,
  openEmbedSession,
  getEmbedSession(origin),
  listEmbedSessions,
  revokeEmbedSession,
];
