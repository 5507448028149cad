import * as z from 'zod';
import { Description, Flag, HttpUrl, Name, OptionalPage, Timestamp, Total, text, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';

const Category = text(50).describe('Any word; stored in lower case');

export const Template = z
  .object({
    id: Uuid,
    org_id: Uuid,
    name: Name,
    description: Description.nullable(),
    category: Category,
    thumbnail_url: z.url().nullable(),
    is_public: z.boolean().describe('Shared with every client of the organization'),
    is_featured: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: 'Template', description: "A private snapshot of a project's files, to start new sites from" });
export type Template = z.infer<typeof Template>;

const tag = 'Templates';

export const listTemplates = defineOperation({
  method: 'GET',
  path: '/templates',
  tag,
  summary: "List the organization's templates, newest first",
  permission: 'read',
  rpc: 'templates.ListTemplates',
  input: z.object(OptionalPage),
  output: z.object({ templates: z.array(Template), total: Total }),
  success: 200,
  errors: [],
});

export const createTemplate = defineOperation({
  method: 'POST',
  path: '/templates',
  tag,
  summary: 'Create a template, empty or from the files of a project',
  permission: 'write',
  rpc: 'templates.CreateTemplate',
  input: z.strictObject({
    name: Name,
    description: Description.nullish(),
    category: Category.nullish(),
    source_project_id: Uuid.nullish(),
    is_public: Flag.default(false),
  }),
  output: z.object({ template: Template }),
  success: 201,
  errors: ['source_project_unknown'],
});

export const getTemplate = defineOperation({
  method: 'GET',
  path: '/templates/{templateId}',
  tag,
  summary: 'Read one template',
  permission: 'read',
  rpc: 'templates.GetTemplate',
  output: z.object({ template: Template }),
  success: 200,
  errors: ['template_not_found'],
});

export const updateTemplate = defineOperation({
  method: 'PATCH',
  path: '/templates/{templateId}',
  tag,
  summary: 'Change the fields that the body names; the captured files stay as they are',
  permission: 'write',
  rpc: 'templates.UpdateTemplate',
  input: z
    .strictObject({
      name: Name,
      description: Description.nullable(),
      category: Category,
      thumbnail_url: HttpUrl.nullable(),
      is_public: Flag,
      is_featured: Flag,
    })
    .partial(),
  output: z.object({ template: Template }),
  success: 200,
  errors: ['template_not_found'],
});

export const deleteTemplate = defineOperation({
  method: 'DELETE',
  path: '/templates/{templateId}',
  tag,
  summary: 'Delete a template; projects made from it stay as they are',
  permission: 'write',
  rpc: 'templates.DeleteTemplate',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  errors: ['template_not_found'],
});
