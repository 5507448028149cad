import * as z from 'zod';
import { Flag, OptionalPage, Timestamp, Total, text, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

const maxPromptLength = 32_000;
const maxDays = 365;

export const BuildLink = z
  .object({
    id: Uuid,
    prompt: z.string().nullable().describe('What the builder begins with'),
    template_id: Uuid.nullable().describe('The template that the project begins as a copy of'),
    model: z.string().nullable().describe('The model that works on the prompt'),
    allows_joining: z.boolean().describe('True: people who open the link may become clients of the organization'),
    url: z.url().describe('What to share. Nothing is made or spent before somebody clicks there'),
    expires_at: Timestamp,
    created_at: Timestamp,
  })
  .meta({ id: 'BuildLink', description: 'A link that begins a site with one click, until it expires or is deleted' });
export type BuildLink = z.infer<typeof BuildLink>;

const people = { tag: 'Account', credential: 'session', roles: ['owner', 'admin', 'developer'] } as const;

export const listBuildLinks = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/build-links',
  summary: 'List the build links of the organization that have not expired, newest first',
  permission: 'read',
  rpc: 'embed.ListBuildLinks',
  input: z.object(OptionalPage),
  output: z.object({ build_links: z.array(BuildLink), total: Total }),
  success: 200,
  etag: false,
  errors: [],
});

export const createBuildLink = defineOperation({
  ...people,
  method: 'POST',
  path: '/account/build-links',
  summary: 'Make a link that begins a site with one click',
  description:
    'At least one of `prompt` and `template_id`. Whoever has the link can read both. It gives no other right, unless an owner or admin lets people join by it (`allows_joining`), which needs a default plan.',
  permission: 'write',
  rpc: 'embed.CreateBuildLink',
  input: z.strictObject({
    prompt: text(maxPromptLength).nullish(),
    template_id: Uuid.nullish(),
    model: text(200).nullish(),
    expires_in_days: z.int('must be a whole number').min(1, 'must be at least 1').max(maxDays, `must be at most ${maxDays}`).default(30),
    allows_joining: Flag.default(false),
  }),
  output: z.object({ build_link: BuildLink }),
  success: 201,
  etag: false,
  errors: ['template_not_found', 'default_plan_missing'],
});

export const updateBuildLink = defineOperation({
  ...people,
  method: 'PATCH',
  path: '/account/build-links/{buildLinkId}',
  summary: 'Let people join by a build link, or no longer',
  description: 'Clients who joined by the link stay clients.',
  permission: 'write',
  roles: ['owner', 'admin'],
  rpc: 'embed.UpdateBuildLink',
  input: z.strictObject({ allows_joining: Flag }).partial(),
  output: z.object({ build_link: BuildLink }),
  success: 200,
  etag: false,
  errors: ['build_link_not_found', 'default_plan_missing'],
});

export const deleteBuildLink = defineOperation({
  ...people,
  method: 'DELETE',
  path: '/account/build-links/{buildLinkId}',
  summary: 'Delete a build link: it leads nowhere any more',
  permission: 'write',
  rpc: 'embed.DeleteBuildLink',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  etag: false,
  errors: ['build_link_not_found'],
});
