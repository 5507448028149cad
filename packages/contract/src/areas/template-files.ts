import * as z from 'zod';
import { defineOperation } from '../http/operation.ts';
import { File } from './project-files.ts';

const tag = 'Templates';

export const listTemplateFiles = defineOperation({
  method: 'GET',
  path: '/templates/{templateId}/files',
  tag,
  summary: 'List the files a template captured, by path',
  description: 'All of them, at most 2,000: the draft of the source project as it was when the template was made.',
  permission: 'read',
  rpc: 'templates.ListTemplateFiles',
  output: z.object({ files: z.array(File).describe('The files, by path; empty for a template that was made without a project') }),
  success: 200,
  errors: ['template_not_found'],
});

export const getTemplateFile = defineOperation({
  method: 'GET',
  path: '/templates/{templateId}/files/{path}',
  tag,
  summary: 'Read one file that a template captured',
  description: 'The bytes as they were captured, under the content type of the file.',
  permission: 'read',
  rpc: 'templates.GetTemplateFile',
  output: 'file',
  success: 200,
  errors: ['template_not_found', 'file_not_found'],
});
