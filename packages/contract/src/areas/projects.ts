import * as z from 'zod';
import { agentTexts } from '../agents/agent-texts.ts';
import {
  CreatedAt,
  Deleted,
  Description,
  Email,
  Flag,
  filter,
  idFilter,
  Name,
  oneOf,
  Page,
  RecordId,
  Timestamp,
  Total,
  text,
  Uuid,
} from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';

export const ProjectStatus = oneOf(['active', 'archived']).meta({
  id: 'ProjectStatus',
  description: '`archived` hides the project from lists of active ones. Its files and its published site stay',
});

export const Project = z
  .object({
    id: RecordId,
    user_id: Uuid.describe('The user that owns it: what a client, a member or a user of an embedding program is in your organization'),
    org_id: Uuid.nullable().describe('Your organization; null for a project that belongs to none'),
    org_client_id: Uuid.nullable()
      .describe('The client that it belongs to, from GET /clients; null for a project of a member of its own')
      .register(agentTexts, { text: 'The client the project belongs to, if any' }),
    name: Name.describe('Shown in the dashboard, in mails and in the builder; 1 to 200 characters'),
    description: Description.nullable().describe(
      'What the website is for, for people who work on it; visitors do not see it. Null if there is none',
    ),
    status: ProjectStatus,
    template: z
      .string()
      .nullable()
      .describe('The id of the template that it was started from, also if that is deleted since; null if it began empty')
      .register(agentTexts, { text: 'The id of the template it was started from' }),
    tags: z.array(z.string()).describe('Words of your own to sort projects by, at most 20; empty if there are none'),
    starred: z.boolean().describe('True if a member marked it, to find it among others'),
    is_public: z
      .boolean()
      .describe('A mark of your own. It changes nothing about who sees the site: what is published can be visited by everybody'),
    subdomain: z
      .string()
      .nullable()
      .describe('The name below the domain of this platform under which the site is live; null until it is published'),
    custom_domain: z.string().nullable().describe('The first of its own domains that is active; null if none is'),
    custom_domain_status: z
      .string()
      .nullable()
      .describe('`active` beside a `custom_domain`, else null; GET /projects/{projectId}/domains has the status of each'),
    published_url: z
      .string()
      .nullable()
      .describe('Where the site is live; null until the project is published')
      .register(agentTexts, { text: 'Null until the project is published' }),
    last_published_at: Timestamp.nullable().describe('When it was published last, ISO 8601 in UTC; null until the first time'),
    preview_image_url: z
      .string()
      .nullable()
      .describe(
        'A picture of its first page as it was published, PNG, 1280 by 800; null until one was taken. With `.webp` in place of `.png` it is small, for lists',
      ),
    created_at: CreatedAt,
    updated_at: Timestamp.describe('When one of these fields changed last, ISO 8601 in UTC'),
    last_opened_at: Timestamp.nullable().describe('When a person opened it in the builder last, ISO 8601 in UTC; null if nobody did'),
    insert_tracker: z
      .boolean()
      .optional()
      .describe('False if publishing leaves pages without the tracker, so that the agency puts its tag itself; absent unless it was set')
      .register(agentTexts, { asDescribed: true }),
  })
  .meta({ id: 'Project', description: "A client's website" })
  .register(agentTexts, { asDescribed: true });
export type Project = z.infer<typeof Project>;

const tag = 'Projects';

export const listProjects = defineOperation({
  method: 'GET',
  path: '/projects',
  tag,
  summary: 'List projects, newest first',
  description:
    "A key and a member see all projects of the organization; a client's user and an embed token see their own. Pages have 50 projects unless `limit` says otherwise.",
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'projects.ListProjects',
  narrows: true,
  input: z.object({
    ...Page,
    client_id: idFilter().describe('Only the projects of this client; an id that no client has yields an empty list'),
    q: z.string().optional().describe('Only projects with this text in their name, whatever its case'),
    status: filter('active', 'archived').describe(
      'Only projects with this status: `active` or `archived`; another text yields an empty list',
    ),
  }),
  output: z.object({ projects: z.array(Project).describe('The projects of this page, newest first; empty if none matches'), total: Total }),
  success: 200,
  errors: [],
});

export const createProject = defineOperation({
  method: 'POST',
  path: '/projects',
  tag,
  summary: 'Create an empty project, or a copy of a template, for an activated client',
  description:
    "A member's own verified address is an activated account too: the first project for it makes your organization its own client.",
  permission: 'write',
  rpc: 'projects.CreateProject',
  input: z.strictObject({
    client_email: Email.describe(
      'The address of an active client, or the verified address of a member, to make a project for the agency itself',
    ),
    name: Name.describe('Shown in the dashboard, in mails and in the builder; need not be unique'),
    description: Description.nullish().describe('What the website is for; left out, null or empty: none'),
    template_id: Uuid.nullish().describe(
      'A template from GET /templates whose files become the draft; left out or null: the project is empty',
    ),
  }),
  output: z.object({ project: Project, builder_url: z.url().describe('Where a signed-in person goes on building it') }),
  success: 201,
  errors: ['client_not_found', 'client_not_active', 'plan_limit_reached', 'template_not_found'],
});

export const getProject = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}',
  tag,
  summary: 'Read one project',
  description: 'A project outside of what the credential sees answers 404, like one that does not exist.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.GetProject',
  output: z.object({ project: Project }),
  success: 200,
  errors: ['project_not_found'],
});

export const updateProject = defineOperation({
  method: 'PATCH',
  path: '/projects/{projectId}',
  tag,
  summary: 'Change the fields that the body names; files and publish state stay as they are',
  description: 'A user of a client archives it only where the agency lets clients use its tools; else 403 `agency_tools_off`.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.UpdateProject',
  input: z
    .strictObject({
      name: Name.describe('Shown in the dashboard, in mails and in the builder'),
      description: Description.nullable().describe('What the website is for; null or empty: none'),
      status: ProjectStatus.describe(
        '`archived` hides it from lists of active projects, `active` brings it back. Files and the published site stay',
      ),
      tags: z
        .array(text(50), { error: 'must be a list of strings' })
        .max(20, 'must have at most 20 tags')
        .describe('All tags of the project, in place of those that it has: at most 20, each of 1 to 50 characters'),
      starred: Flag.describe('True to mark it'),
      is_public: Flag.describe('A mark of your own, which changes nothing about who sees the site'),
      insert_tracker: Flag.describe('Whether publishing puts the tracker into pages; from the next publish on'),
    })
    .partial(),
  output: z.object({ project: Project }),
  success: 200,
  errors: ['project_not_found', 'agency_tools_off'],
});

export const handOverProject = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/handover',
  tag,
  summary: 'Hand a project over to another activated client',
  description:
    "Files, address, domains, deploys, forms and figures stay. It counts on the sites of the new client's plan, and only that client sees it from then on. `client_email` is as for a new project.",
  permission: 'write',
  rpc: 'projects.HandOverProject',
  input: z.strictObject({
    client_email: Email.describe('The address of the active client that gets it, or the verified address of a member'),
  }),
  output: z.object({ project: Project }),
  success: 200,
  errors: ['project_not_found', 'client_not_found', 'client_not_active', 'plan_limit_reached'],
});

export const deleteProject = defineOperation({
  method: 'DELETE',
  path: '/projects/{projectId}',
  tag,
  summary: 'Delete a project for good; its site is unpublished',
  description:
    'Its files, deploys, domains and submissions cannot be brought back. A site that is to be seen no more for a while is archived instead.',
  permission: 'write',
  rpc: 'projects.DeleteProject',
  output: Deleted,
  success: 200,
  errors: ['project_not_found'],
});
