import * as z from 'zod';
import { Description, Email, Flag, filter, idFilter, Name, oneOf, Page, Timestamp, Total, text, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';

export const ProjectStatus = oneOf(['active', 'archived']);

export const Project = z
  .object({
    id: Uuid,
    user_id: Uuid,
    org_id: Uuid.nullable(),
    org_client_id: Uuid.nullable().describe('The client the project belongs to, if any'),
    name: Name,
    description: Description.nullable(),
    status: ProjectStatus,
    template: z.string().nullable().describe('The id of the template it was started from'),
    tags: z.array(z.string()),
    starred: z.boolean(),
    is_public: z.boolean(),
    subdomain: z.string().nullable(),
    custom_domain: z.string().nullable(),
    custom_domain_status: z.string().nullable(),
    published_url: z.string().nullable().describe('Null until the project is published'),
    last_published_at: Timestamp.nullable(),
    preview_image_url: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_opened_at: Timestamp.nullable(),
    insert_tracker: z
      .boolean()
      .optional()
      .describe('False if publishing leaves pages without the tracker, so that the agency puts its tag itself; absent unless it was set'),
  })
  .meta({ id: 'Project', description: "A client's website" });
export type Project = z.infer<typeof Project>;

const tag = 'Projects';

export const listProjects = defineOperation({
  method: 'GET',
  path: '/projects',
  tag,
  summary: 'List projects, newest first',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'projects.ListProjects',
  input: z.object({
    ...Page,
    client_id: idFilter().describe('Only the projects of this client'),
    q: z.string().optional().describe('Part of the name, whatever its case'),
    status: filter('active', 'archived').describe('active or archived'),
  }),
  output: z.object({ projects: z.array(Project), total: Total }),
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
    client_email: Email,
    name: Name,
    description: Description.nullish(),
    template_id: Uuid.nullish(),
  }),
  output: z.object({ project: Project, builder_url: z.url() }),
  success: 201,
  errors: ['client_not_found', 'client_not_active', 'plan_limit_reached', 'template_not_found'],
});

export const getProject = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}',
  tag,
  summary: 'Read one project',
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
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.UpdateProject',
  input: z
    .strictObject({
      name: Name,
      description: Description.nullable(),
      status: ProjectStatus,
      tags: z.array(text(50), { error: 'must be a list of strings' }).max(20, 'must have at most 20 tags'),
      starred: Flag,
      is_public: Flag,
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
  input: z.strictObject({ client_email: Email }),
  output: z.object({ project: Project }),
  success: 200,
  errors: ['project_not_found', 'client_not_found', 'client_not_active', 'plan_limit_reached'],
});

export const deleteProject = defineOperation({
  method: 'DELETE',
  path: '/projects/{projectId}',
  tag,
  summary: 'Delete a project for good; its site is unpublished',
  permission: 'write',
  rpc: 'projects.DeleteProject',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  errors: ['project_not_found'],
});
