import * as z from 'zod';
import { DraftFiles, maxSiteBodyBytes } from '../fields/built-files.ts';
import { Timestamp, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';
import { File } from './project-files.ts';

const ChangedFiles = z
  .object({ count: z.int().describe('How many files differ in this way'), paths: z.array(z.string()).describe('The first 20') })
  .meta({ id: 'ChangedFiles', description: 'Files of the draft that differ from the live site' });

export const Draft = z
  .object({
    revision_id: Uuid.nullable().describe('The revision that is the draft now; null before the first file'),
    changed_at: Timestamp.nullable().describe('When a file changed last, ISO 8601 in UTC; null before the first file'),
    files: z.int().describe('How many files the draft has'),
    size: z.int().describe('Bytes of all files together'),
    up_to_date: z.boolean().describe('Whether visitors see these files: publishing would change nothing'),
    added: ChangedFiles,
    changed: ChangedFiles,
    removed: ChangedFiles,
  })
  .meta({ id: 'Draft', description: 'The files that are published next, beside what is live' });
export type Draft = z.infer<typeof Draft>;

const tag = 'Projects';

export const getDraft = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/draft',
  tag,
  summary: 'Tell what publishing the draft would change',
  description: 'Compares the draft with the live site, file by file. A project that was never published has only added files.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.GetDraft',
  output: z.object({ draft: Draft }),
  success: 200,
  errors: ['project_not_found'],
});

export const writeDraft = defineOperation({
  method: 'PUT',
  path: '/projects/{projectId}/files',
  tag,
  summary: 'Replace the draft: by files, or by a zip of them',
  description:
    'All files or none, as one revision; a repeat adds none. `files` is like `builtFiles` of publishing, with its bounds; `{"sha256": …}` in place of a content names one that the draft or the live site has, so that only what changed is sent. If one is missing, the answer is 409 with the first 20 such files in `details`. A zip (`Content-Type: application/zip`) has the same bounds unpacked. Folders that all its files share are left out, as are `.git`, `.DS_Store` and `__MACOSX`; links and encrypted files are refused. `If-Match` takes the ETag of `GET …/draft`.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.WriteDraft',
  input: z.strictObject({
    files: DraftFiles.describe('Every file of the draft by its path, `index.html` among them; files that are not named are removed'),
  }),
  bodyBytes: maxSiteBodyBytes,
  takesZip: true,
  output: z.object({ files: z.array(File).describe('The files of the draft as they are now, by path'), draft: Draft }),
  success: 200,
  errors: ['project_not_found', 'contents_missing'],
});
