import * as z from 'zod';
import {
  CreatedAt,
  Deleted,
  Email,
  EmbedClientId,
  Name,
  OptionalPage,
  RecordId,
  Timestamp,
  Total,
  text,
  Uuid,
} from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

const maxPromptLength = 50_000;
const Prompt = text(maxPromptLength);

export const EmbedSession = z
  .object({
    id: RecordId,
    embed_client_id: EmbedClientId.describe('The embed client that opened it'),
    external_user_id: z.string().describe('The id that the embedding program gives its user'),
    user_id: Uuid.describe('The user here, who owns the projects'),
    org_client_id: Uuid.nullable().describe('The client that the user belongs to, if any'),
    project_id: Uuid.describe('The project that it was opened for'),
    prompt: z.string().nullable().describe('What the builder begins with; null if it opens a project as it is'),
    created_at: CreatedAt,
    expires_at: Timestamp.describe('When its token stops working, ISO 8601 in UTC: 24 hours after it was made'),
  })
  .meta({ id: 'EmbedSession', description: 'A user of your program in the builder, for 24 hours; never its token' });
export type EmbedSession = z.infer<typeof EmbedSession>;

const EmbedTheme = z
  .object({
    name: z.string().describe('The name of the organization'),
    accent_color: z.string().nullable().describe('The color of buttons and links, as #rrggbb; null: that of the platform'),
    logo_url: z.string().nullable().describe('The logo of the organization; null if it has none'),
  })
  .meta({ id: 'EmbedTheme', description: 'How the builder looks to your users' });

/** The body of `POST {origin}/api/embed/session`. The pair may come as HTTP Basic credentials (RFC 7617) instead. */
export const EmbedSessionRequest = z
  .strictObject({
    client_id: z.string({ error: 'is required, here or as HTTP Basic user name' }),
    client_secret: z.string({ error: 'is required, here or as HTTP Basic password' }),
    user_id: text(255),
    email: Email.nullish(),
    name: Name.nullish(),
    project_id: Uuid.nullish(),
    template_id: Uuid.nullish(),
    prompt: Prompt.nullish(),
  })
  .refine(({ project_id, template_id, prompt }) => project_id == null || (template_id == null && prompt == null), {
    path: ['project_id'],
    error: 'opens a project that exists: leave out template_id and prompt, which make a new one',
  });

export const getEmbedSession = defineOperation({
  method: 'GET',
  path: '/embed/session',
  tag: 'Embedding',
  summary: 'Read the embed session of the token, and how its builder looks',
  description: 'For the page that shows the builder: it calls it with its embed token.',
  permission: 'read',
  credential: 'person',
  roles: [],
  embed: true,
  rpc: 'embed.GetEmbedSession',
  output: z.object({
    embed_session: EmbedSession,
    theme: EmbedTheme,
  }),
  success: 200,
  etag: false,
  errors: [],
});

const people = { tag: 'Organization', area: 'embedding', roles: ['owner', 'admin', 'developer'] } as const;

export const listEmbedSessions = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/embed-sessions',
  summary: 'List the live embed sessions of the organization, newest first',
  description: 'Those that have not expired and were not revoked.',
  permission: 'read',
  rpc: 'embed.ListEmbedSessions',
  input: z.object(OptionalPage),
  output: z.object({
    embed_sessions: z.array(EmbedSession).describe('The embed sessions, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const revokeEmbedSession = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/embed-sessions/{embedSessionId}',
  summary: 'Revoke an embed session: its token stops working within a second',
  description: 'Your server opens another one with POST /api/embed/session. The projects stay.',
  permission: 'write',
  rpc: 'embed.RevokeEmbedSession',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['embed_session_not_found'],
});
