import * as z from 'zod';
import { CreatedAt, EmbedClientId, GraceHours, Name, OptionalPage, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { WebOrigin } from '../../fields/web-origin.ts';
import { defineOperation } from '../../http/operation.ts';

const maxOrigins = 20;

const Origins = z
  .array(WebOrigin, { error: 'must be a list of origins' })
  .min(1, 'must name at least one origin')
  .max(maxOrigins, `must have at most ${maxOrigins} origins`)
  .describe(
    'The pages that may show the builder in a frame, 1 to 20 origins such as https://app.example.com: no path, no wildcard, http for localhost alone',
  );

const maxCap = 1_000_000;
const Cap = z.int('must be a whole number').min(1, 'must be at least 1').max(maxCap, `must be at most ${maxCap}`).nullable();
const caps = {
  session_credits: Cap.describe('The most credits that one of its embed sessions may use; null: no bound'),
  daily_credits: Cap.describe('The most credits that all its sessions together may use on one day (UTC); null: no bound'),
};

export const EmbedClient = z
  .object({
    id: EmbedClientId.describe('Public: it names the client in pages'),
    name: Name.describe('What program it is for, as its maker called it'),
    allowed_origins: z.array(z.url()).describe('The pages that may show the builder in a frame'),
    secret_prefix: z.string().describe('The first characters of its secret; `ended` if the removal of a member has ended it: rotate it'),
    previous_secret_until: Timestamp.nullable().describe('How long the secret before works, or worked; null where none does'),
    ...caps,
    created_at: CreatedAt,
    created_by: Uuid.nullable().describe('The member who made it and was shown its first secret; null where that was not recorded'),
    rotated_by: Uuid.nullable().describe('The member whose rotation was the last, and who was shown the secret'),
  })
  .meta({ id: 'EmbedClient', description: 'What a program of yours embeds the builder with; never its secret' });
export type EmbedClient = z.infer<typeof EmbedClient>;

const Secret = z.string().describe('The secret itself. It is shown only here: keep it');
const people = { tag: 'Organization', area: 'embedding', roles: ['owner', 'admin', 'developer'] } as const;

export const listEmbedClients = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/embed-clients',
  summary: "List the organization's embed clients, newest first",
  description: 'Without their secrets.',
  permission: 'read',
  rpc: 'accounts.ListEmbedClients',
  input: z.object(OptionalPage),
  output: z.object({
    embed_clients: z.array(EmbedClient).describe('The embed clients, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const createEmbedClient = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/embed-clients',
  summary: 'Make an embed client; the answer shows its secret, once',
  description: 'Keep the secret on your server: it opens embed sessions with POST /api/embed/session.',
  permission: 'write',
  rpc: 'accounts.CreateEmbedClient',
  showsSecret: true,
  input: z.strictObject({
    name: Name.describe('What program it is for, to know it again in lists'),
    allowed_origins: Origins,
    ...z.object(caps).partial().shape,
  }),
  output: z.object({ embed_client: EmbedClient, secret: Secret }),
  success: 201,
  errors: [],
});

export const getEmbedClient = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/embed-clients/{embedClientId}',
  summary: 'Read one embed client; its secret is never shown again',
  description: 'An embed client of another organization answers 404, like one that does not exist.',
  permission: 'read',
  rpc: 'accounts.GetEmbedClient',
  output: z.object({ embed_client: EmbedClient }),
  success: 200,
  errors: ['embed_client_not_found'],
});

export const updateEmbedClient = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/embed-clients/{embedClientId}',
  summary: 'Change the fields that the body names',
  description: 'Pages of an origin that is taken away show the builder no more.',
  permission: 'write',
  rpc: 'accounts.UpdateEmbedClient',
  input: z
    .strictObject({ name: Name.describe('What program it is for, to know it again in lists'), allowed_origins: Origins, ...caps })
    .partial(),
  output: z.object({ embed_client: EmbedClient }),
  success: 200,
  errors: ['embed_client_not_found'],
});

export const rotateEmbedClient = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/embed-clients/{embedClientId}/rotate',
  summary: 'Replace the secret by a new one, shown once; the old one works for the hours of grace',
  description: 'One secret works beside the present one at most: what was in its grace when another rotation comes ends with that.',
  permission: 'write',
  rpc: 'accounts.RotateEmbedClient',
  showsSecret: true,
  input: z.strictObject({
    grace_hours: GraceHours.default(0).describe('How many hours the old secret goes on working, 0 to 24; 0 by default: it stops at once'),
  }),
  output: z.object({ embed_client: EmbedClient, secret: Secret }),
  success: 200,
  errors: ['embed_client_not_found'],
});

export const deleteEmbedClient = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/embed-clients/{embedClientId}',
  summary: 'Delete an embed client: its secret and its origins stop counting',
  description: 'Its embed sessions end too.',
  permission: 'write',
  rpc: 'accounts.DeleteEmbedClient',
  output: z.object({
    deleted: z.boolean().describe('Always true: what was not there is 404'),
    id: EmbedClientId.describe('The id of what was deleted'),
  }),
  success: 200,
  errors: ['embed_client_not_found'],
});
