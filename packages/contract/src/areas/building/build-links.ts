import * as z from 'zod';
import { CreatedAt, Deleted, Flag, OptionalPage, RecordId, Timestamp, Total, text, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

const maxPromptLength = 32_000;
const maxDays = 365;

export const BuildLink = z
  .object({
    id: RecordId,
    prompt: z.string().nullable().describe('What the builder begins with; null: the template alone'),
    template_id: Uuid.nullable().describe('The template that the project begins as a copy of; null: it begins empty'),
    model: z.string().nullable().describe('The model that works on the prompt; null: the default of the organization'),
    allows_joining: z.boolean().describe('True: people who open the link may become clients of the organization'),
    url: z.url().describe('What to share. Nothing is made or spent before somebody clicks there'),
    expires_at: Timestamp.describe('Until when it works, ISO 8601 in UTC'),
    created_at: CreatedAt,
  })
  .meta({ id: 'BuildLink', description: 'A link that begins a site with one click, until it expires or is deleted' });
export type BuildLink = z.infer<typeof BuildLink>;

const people = { tag: 'Organization', area: 'embedding', roles: ['owner', 'admin', 'developer'] } as const;

export const listBuildLinks = defineOperation({
  ...people,
  method: 'GET',
  path: '/account/build-links',
  summary: 'List the build links of the organization that have not expired, newest first',
  description: 'Deleted and expired ones are not in it.',
  permission: 'read',
  rpc: 'embed.ListBuildLinks',
  input: z.object(OptionalPage),
  output: z.object({ build_links: z.array(BuildLink).describe('The build links, newest first; empty if there are none'), total: Total }),
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
    prompt: text(maxPromptLength)
      .nullish()
      .describe('What the builder is asked first, at most 32,000 characters; left out or null: the template alone'),
    template_id: Uuid.nullish().describe('A template that the project begins as a copy of; left out or null: it begins empty'),
    model: text(200)
      .nullish()
      .describe('The model that works on the prompt, from GET /models; left out or null: the default of the organization'),
    expires_in_days: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(maxDays, `must be at most ${maxDays}`)
      .default(30)
      .describe('After how many days it stops working, 1 to 365; 30 by default'),
    allows_joining: Flag.default(false).describe(
      'True: people who open it may become clients of your organization. False by default; for owners and admins',
    ),
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
  input: z.strictObject({ allows_joining: Flag.describe('True: people who open it may become clients of your organization') }).partial(),
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
  description: 'Projects that were begun by it stay.',
  permission: 'write',
  rpc: 'embed.DeleteBuildLink',
  output: Deleted,
  success: 200,
  etag: false,
  errors: ['build_link_not_found'],
});
