import * as z from 'zod';
import { agentTexts } from '../../agents/agent-texts.ts';
import { Timestamp } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

export const getPreview = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/preview',
  tag: 'Projects',
  summary: 'Where a project can be seen: its draft, its published site, the builder',
  description:
    'The preview shows the draft to whoever has its address, until `expires_at`: at most an hour, and at least half of one from now. Ask again for an address that lives on. With `version` it shows that entry of `GET …/history`, whatever the draft becomes, for at least 7 days and at most 8.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.GetPreview',
  input: z.object({ version: z.string().optional().describe('The id of a revision or deploy, in place of the draft') }),
  output: z.object({
    published_url: z.url().nullable().describe('Null until the project is published').register(agentTexts, { asDescribed: true }),
    has_published: z.boolean().describe('True once the project was published'),
    preview_url: z
      .url()
      .describe('Shows the draft as it is at any moment, or the version that was asked for')
      .register(agentTexts, { asDescribed: true }),
    builder_url: z.url().describe('Where a signed-in person goes on building it'),
    embed_preview_path: z
      .string()
      .describe('Below the address of the platform: the preview for pages that embed the builder')
      .register(agentTexts, { asDescribed: true }),
    expires_at: Timestamp.describe('Until then `preview_url` works').register(agentTexts, { asDescribed: true }),
  }),
  success: 200,
  etag: false,
  errors: ['project_not_found', 'revision_not_found'],
});
