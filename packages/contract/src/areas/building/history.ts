import * as z from 'zod';
import { CreatedAt, filter, OptionalPage, oneOf, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';
import { File } from '../project-files.ts';
import { RevisionOrigin } from './revisions.ts';

export const Author = z
  .object({
    kind: oneOf(['person', 'api_key', 'agent', 'embed_user', 'operator']).meta({
      id: 'AuthorKind',
      description: 'Through what it was done',
    }),
    id: z.string().describe('Of the account, also where an agent acted for it, of the API key or of the user; the name of an operator'),
    name: z.string().nullable().describe("Of the account or key, as it is now. A client's user reads its own name alone"),
    agent: z.string().nullable().describe('The name that the agent gave itself through which it was done; null if none was used'),
  })
  .meta({ id: 'Author', description: 'Who made a state of a site' });
export type Author = z.infer<typeof Author>;

export const HistoryEntry = z
  .object({
    id: Uuid.describe('A revision, a deploy, or both: published files become the draft'),
    kind: oneOf(['revision', 'deploy']).meta({
      id: 'HistoryEntryKind',
      description: '`deploy`: it was published; `revision`: a state of the draft alone',
    }),
    number: z.int().nullable().describe('Of the revision; null for a deploy alone'),
    message: z.string().describe('What the chat answered, what was changed, or what was said at publishing'),
    origin: RevisionOrigin,
    author: Author.nullable().describe('Null where it was not recorded'),
    turn_id: Uuid.nullable().describe('The chat message that it came from, if any'),
    live: z.boolean().describe('Whether it is what visitors see'),
    draft: z.boolean().describe('Whether it is the draft as it is'),
    created_at: CreatedAt,
  })
  .meta({ id: 'HistoryEntry', description: 'A state of a site that is kept: of its draft, or as it was published' });
export type HistoryEntry = z.infer<typeof HistoryEntry>;

export const FileChange = z
  .object({
    path: z.string().describe('Relative to the root of the site'),
    change: oneOf(['added', 'changed', 'removed']).meta({ id: 'FileChangeKind', description: 'What became of the file' }),
    before: File.nullable().describe('Null if it was added'),
    after: File.nullable().describe('Null if it was removed'),
  })
  .meta({ id: 'FileChange', description: 'A file that differs between two states of a site' });
export type FileChange = z.infer<typeof FileChange>;

const common = { method: 'GET', tag: 'Projects', permission: 'read', roles: clientsToo.read, embed: true, success: 200 } as const;

export const listHistory = defineOperation({
  ...common,
  path: '/projects/{projectId}/history',
  summary: 'List the kept states of a site, newest first: of its draft, and as it was published',
  description:
    'At most the draft with the 50 states before it, and the last 10 deploys. Wherever a path has `{revisionId}`, the id of any entry may stand.',
  rpc: 'projects.ListHistory',
  input: z.object(OptionalPage).omit({ cursor: true }),
  output: z.object({ history: z.array(HistoryEntry).describe('The states, newest first; empty if there are none'), total: Total }),
  errors: ['project_not_found'],
});

export const listChanges = defineOperation({
  ...common,
  path: '/projects/{projectId}/revisions/{revisionId}/changes',
  summary: 'List the files in which a state of a site differs from the live one, or from another',
  description:
    '`before` is what the state is compared with: `GET …/revisions/{before_id}/files/{path}` reads its files. Without one, such as a site that was never published, every file is added.',
  rpc: 'projects.ListChanges',
  input: z.object({
    against: filter('live', 'draft', 'previous').describe(
      'What it is compared with: `live`, the draft, or `previous`, the state before it; `live` by default',
    ),
  }),
  output: z.object({
    changes: z.array(FileChange).describe('By path'),
    before_id: Uuid.nullable().describe('The state that it was compared with; null if there is none'),
  }),
  errors: ['revision_not_found'],
});
