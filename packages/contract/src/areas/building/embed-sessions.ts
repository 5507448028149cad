import * as z from 'zod';
import { Email, EmbedClientId, Name, OptionalPage, Timestamp, Total, text, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

const maxPromptLength = 50_000;
const Prompt = text(maxPromptLength);

export const EmbedSession = z
  .object({
    id: Uuid,
    embed_client_id: EmbedClientId.describe('The embed client that opened it'),
    external_user_id: z.string().describe('The id that the embedding program gives its user'),
    user_id: Uuid.describe('The user here, who owns the projects'),
    org_client_id: Uuid.nullable().describe('The client that the user belongs to, if any'),
    project_id: Uuid.describe('The project that it was opened for'),
    prompt: z.string().nullable().describe('What the builder begins with, if the project is to be built'),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'EmbedSession', description: 'A user of your program in the builder, for 24 hours; never its token' });
export type EmbedSession = z.infer<typeof EmbedSession>;

const EmbedTheme = z
  .object({
    name: z.string().describe('The name of the organization'),
    accent_color: z.string().nullable(),
    logo_url: z.string().nullable(),
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

const people = { tag: 'Account', credential: 'session', roles: ['owner', 'admin', 'developer'] } as const;

export const listEmbedSessions = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/embed-sessions',
  summary: 'List the live embed sessions of the organization, newest first',
  permission: 'read',
  rpc: 'embed.ListEmbedSessions',
  input: z.object(OptionalPage),
  output: z.object({ embed_sessions: z.array(EmbedSession), total: Total }),
  success: 200,
  errors: [],
});

export const revokeEmbedSession = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/embed-sessions/{embedSessionId}',
  summary: 'Revoke an embed session: its token stops working within a second',
  permission: 'write',
  rpc: 'embed.RevokeEmbedSession',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['embed_session_not_found'],
});
