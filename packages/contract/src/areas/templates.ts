import * as z from 'zod';
import { agentTexts } from '../agents/agent-texts.ts';
import { CreatedAt, Deleted, Description, Flag, HttpUrl, Name, OptionalPage, RecordId, Total, text, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';

const Category = text(50)
  .describe('A word to group templates by, at most 50 characters; stored in lower case')
  .register(agentTexts, { text: 'Any word; stored in lower case' });

export const Template = z
  .object({
    id: RecordId,
    org_id: Uuid.describe('Your organization'),
    name: Name.describe('Shown where a template is chosen; 1 to 200 characters'),
    description: Description.nullable().describe('What sites it is for; null if there is none'),
    category: Category,
    thumbnail_url: z.url().nullable().describe('A picture to show where a template is chosen; null if there is none'),
    is_public: z
      .boolean()
      .describe('True: every client of the organization may start from it; false: members and keys alone')
      .register(agentTexts, { text: 'Shared with every client of the organization' }),
    is_featured: z.boolean().describe('True: the dashboard shows the mark Featured'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Template', description: "A private snapshot of a project's files, to start new sites from" })
  .register(agentTexts, { asDescribed: true });
export type Template = z.infer<typeof Template>;

const tag = 'Templates';

export const listTemplates = defineOperation({
  method: 'GET',
  path: '/templates',
  tag,
  summary: "List the organization's templates, newest first",
  description: 'Templates of your organization, public or not. Without `limit` and `offset` all of them, at most 1,000.',
  permission: 'read',
  rpc: 'templates.ListTemplates',
  input: z.object(OptionalPage),
  output: z.object({ templates: z.array(Template).describe('The templates, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: [],
});

export const createTemplate = defineOperation({
  method: 'POST',
  path: '/templates',
  tag,
  summary: 'Create a template, empty or from the files of a project',
  description: 'Captures the draft of the project as it is: later changes of the project do not change the template.',
  permission: 'write',
  rpc: 'templates.CreateTemplate',
  input: z.strictObject({
    name: Name.describe('Shown where a template is chosen'),
    description: Description.nullish().describe('What sites it is for; left out, null or empty: nothing is said'),
    category: Category.nullish().describe('A word to group templates by; left out or null: `general`'),
    source_project_id: Uuid.nullish().describe('The project whose draft is captured; left out or null: the template has no files'),
    is_public: Flag.default(false).describe('True: every client of the organization may start from it. False by default'),
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
  description: 'A template of another organization answers 404, like one that does not exist.',
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
  description: 'To capture other files make another template.',
  permission: 'write',
  rpc: 'templates.UpdateTemplate',
  input: z
    .strictObject({
      name: Name.describe('Shown where a template is chosen'),
      description: Description.nullable().describe('What sites it is for; null or empty: nothing is said'),
      category: Category,
      thumbnail_url: HttpUrl.nullable().describe('The address of a picture to show where a template is chosen; null: none'),
      is_public: Flag.describe('True: every client of the organization may start from it'),
      is_featured: Flag.describe('True: the dashboard shows the mark Featured'),
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
  description: 'It cannot be brought back.',
  permission: 'write',
  rpc: 'templates.DeleteTemplate',
  output: Deleted,
  success: 200,
  errors: ['template_not_found'],
});
