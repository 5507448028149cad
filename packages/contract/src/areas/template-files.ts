import * as z from 'zod';
import { defineOperation } from '../http/operation.ts';
import { File } from './project-files.ts';

const tag = 'Templates';

export const listTemplateFiles = defineOperation({
  method: 'GET',
  path: '/templates/{templateId}/files',
  tag,
  summary: 'List the files a template captured, by path',
  permission: 'read',
  rpc: 'templates.ListTemplateFiles',
  output: z.object({ files: z.array(File) }),
  success: 200,
  errors: ['template_not_found'],
});

export const getTemplateFile = defineOperation({
  method: 'GET',
  path: '/templates/{templateId}/files/{path}',
  tag,
  summary: 'Read one file that a template captured',
  permission: 'read',
  rpc: 'templates.GetTemplateFile',
  output: 'file',
  success: 200,
  errors: ['template_not_found', 'file_not_found'],
});
