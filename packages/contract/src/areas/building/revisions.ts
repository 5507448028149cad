import * as z from 'zod';
import { CreatedAt, OptionalPage, oneOf, RecordId, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';
import { File } from '../project-files.ts';

export const revisionOrigins = ['turn', 'publish', 'restore', 'template', 'upload', 'edit'] as const;

export const RevisionOrigin = oneOf(revisionOrigins).meta({
  id: 'RevisionOrigin',
  description:
    'What made it. `turn`: a message of the chat; `publish`: files that were published; `restore`: an earlier state; `template`: the start of the project; `upload`: files that were written; `edit`: a text that was typed into the preview',
});

export const Revision = z
  .object({
    id: RecordId,
    number: z.int().describe('Counts up from 1 in each project'),
    title: z.string().describe('What changed'),
    origin: RevisionOrigin,
    turn_id: Uuid.nullable().describe('The chat message that it came from; null if it came from none'),
    current: z.boolean().describe('Whether it is the draft as it is'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Revision', description: 'A state of the draft; the draft and the 50 states before it are kept' });
export type Revision = z.infer<typeof Revision>;

const tag = 'Projects';

export const listRevisions = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/revisions',
  tag,
  summary: 'List the states of the draft, newest first: the draft as it is and the 50 before',
  description: 'At most 51. An older state is dropped when another is added.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.ListRevisions',
  input: z.object(OptionalPage).omit({ cursor: true }),
  output: z.object({ revisions: z.array(Revision).describe('The revisions, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: ['project_not_found'],
});

export const restoreRevision = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/revisions/{revisionId}/restore',
  tag,
  summary: 'Make the draft what it was: undo and redo',
  description:
    'Adds a revision with the files of the older one, or of a deploy. Answers with the present one if the draft has those files already. A chat message that is being worked on is not stopped: at its end it finds the draft changed, and leaves it as restored. With `If-Match` and the ETag of the draft it is refused if the draft was changed since.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.RestoreRevision',
  input: z.strictObject({}),
  output: z.object({ revision: Revision }),
  success: 200,
  etag: false,
  errors: ['revision_not_found', 'edited_meanwhile', 'if_match_unquoted'],
});

export const listRevisionFiles = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/revisions/{revisionId}/files',
  tag,
  summary: 'List the files of a revision or deploy, by path',
  description: 'All of them, at most 2,000. The id of a deploy works as well.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.ListRevisionFiles',
  output: z.object({ files: z.array(File).describe('The files, by path') }),
  success: 200,
  errors: ['revision_not_found'],
});

export const getRevisionFile = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/revisions/{revisionId}/files/{path}',
  tag,
  summary: 'Read one file of a revision or deploy',
  description: 'The bytes as they were, under the content type of the file. The id of a deploy works as well.',
  permission: 'read',
  roles: clientsToo.read,
  embed: true,
  rpc: 'projects.GetRevisionFile',
  output: 'file',
  success: 200,
  errors: ['revision_not_found', 'file_not_found'],
});
