import * as z from 'zod';
import { filter } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

export const exportProject = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/export',
  tag: 'Projects',
  summary: 'Download the files of a project as a zip',
  description:
    "The draft, with `of=live` what is published, or with `version` any entry of `GET …/history`, as it was written: without what is added for visitors. Members and API keys always may; a client's own users need a plan with `can_export_code`, or none.",
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.ExportProject',
  input: z.object({
    of: filter('live', 'draft').describe('`live`: what is published; else the draft'),
    version: z.string().optional().describe('The id of a revision or deploy, in place of both'),
  }),
  output: 'file',
  fileType: 'application/zip',
  success: 200,
  errors: ['project_not_found', 'site_not_found', 'revision_not_found', 'export_not_allowed'],
});
