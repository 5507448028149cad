import * as z from 'zod';
import { maxSiteBodyBytes, SentContent } from '../fields/built-files.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';

export const File = z
  .object({
    path: z.string().describe('Relative to the root of the site, with slashes: `css/site.css`'),
    size: z.int().describe('Bytes, as it is stored: visitors may get it compressed'),
    sha256: z.string().describe('Of its bytes, in hexadecimal: the same content has the same digest'),
    content_type: z.string().describe('What visitors get as Content-Type, by the ending of the path'),
  })
  .meta({ id: 'File', description: 'One file of a draft or a template' });
export type File = z.infer<typeof File>;

const tag = 'Projects';

export const listProjectFiles = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/files',
  tag,
  summary: "List the files of a project's draft, by path",
  description:
    'All of them, at most 2,000. The files that visitors see are those of the live deploy: compare with GET /projects/{projectId}/draft.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.ListProjectFiles',
  output: z.object({ files: z.array(File).describe('The files, by path; empty for a project without any') }),
  success: 200,
  errors: ['project_not_found'],
});

export const getProjectFile = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/files/{path}',
  tag,
  summary: "Read one file of a project's draft",
  description: 'The bytes as they are stored, under the content type of the file. The ETag is its SHA-256.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.GetProjectFile',
  output: 'file',
  success: 200,
  errors: ['project_not_found', 'file_not_found'],
});

export const writeProjectFile = defineOperation({
  method: 'PUT',
  path: '/projects/{projectId}/files/{path}',
  tag,
  summary: "Write one file of a project's draft, a new one or in place of the one there",
  description:
    'Adds a revision; the same content again adds none. `If-Match` takes the ETag of the file, which reading and writing it send: 412 if it was changed or deleted since. Paths and bounds are those of publishing.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.WriteProjectFile',
  input: z.strictObject({ file: SentContent.describe('The content of the file: text, or bytes as base64') }),
  bodyBytes: maxSiteBodyBytes,
  output: z.object({ file: File }),
  success: 200,
  errors: ['project_not_found'],
});

export const deleteProjectFile = defineOperation({
  method: 'DELETE',
  path: '/projects/{projectId}/files/{path}',
  tag,
  summary: "Delete one file of a project's draft",
  description: 'Adds a revision: restoring the one before brings the file back. The live site keeps it until the draft is published.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.DeleteProjectFile',
  output: z.object({
    deleted: z.boolean().describe('Always true: a file that was not there is 404'),
    path: z.string().describe('The path of the file that was deleted'),
  }),
  success: 200,
  errors: ['project_not_found', 'file_not_found'],
});
