import * as z from 'zod';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';

export const File = z
  .object({ path: z.string(), size: z.int().describe('Bytes'), sha256: z.string().describe('Hexadecimal'), content_type: z.string() })
  .meta({ id: 'File', description: 'One file of a draft or a template' });
export type File = z.infer<typeof File>;

const tag = 'Projects';

export const listProjectFiles = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/files',
  tag,
  summary: "List the files of a project's draft, by path",
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.ListProjectFiles',
  output: z.object({ files: z.array(File) }),
  success: 200,
  errors: ['project_not_found'],
});

export const getProjectFile = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/files/{path}',
  tag,
  summary: "Read one file of a project's draft",
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.GetProjectFile',
  output: 'file',
  success: 200,
  errors: ['project_not_found', 'file_not_found'],
});
