import * as z from 'zod';
import { BuiltFiles, maxSiteBodyBytes } from '../fields/built-files.ts';
import { CreatedAt, OptionalPage, oneOf, optionalText, RecordId, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';
import { Project } from './projects.ts';

export const Deploy = z
  .object({
    id: RecordId,
    live: z.boolean().describe('True for the one that visitors see'),
    files: z.int().describe('How many files it has'),
    size: z.int().describe('Bytes of all files together'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Deploy', description: 'A published state of a site; the last 10 are kept' });
export type Deploy = z.infer<typeof Deploy>;

const PublishWarning = z
  .object({
    path: z.string().describe('The file that it is about'),
    line: z.int().optional().describe('The line of the file, from 1; absent where it is about the file as a whole'),
    message: z.string().describe('What visitors would miss, in a sentence'),
  })
  .meta({
    id: 'PublishWarning',
    description: 'Something that visitors may miss: a link or file that is not there, a rule that is not served',
  });

const Published = z
  .object({
    url: z.url().describe('Where the site is live: its first own domain, or its subdomain'),
    deployId: Uuid.describe('The deploy that is live now; roll back to it later by this id'),
    status: z.literal('ready').describe('Always `ready`: visitors see the whole site by now'),
    project: Project,
    warnings: z.array(PublishWarning).optional().describe('The first 50; absent if there are none'),
  })
  .meta({ id: 'PublishedSite', description: 'The site as it is live now' });

const tag = 'Projects';

export const publishProject = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/publish',
  tag,
  summary: 'Publish a site: the files sent, or the draft as it is',
  description:
    'At most 2,000 files and 25 MB, in a body of at most 40 MB; `index.html` is required. Paths are relative and normalised; `t.js`, `t.gif`, `api/collect` and `_forms/*` are reserved. Visitors see all of the old site until they see all of the new one. The files also become the draft, unless `draft` is `keep`; the draft that they replace is kept among the last 50.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.PublishProject',
  input: z.strictObject({
    builtFiles: BuiltFiles.optional().describe(
      'Every file of the site by its path, `index.html` among them; left out: the draft is published as it is',
    ),
    message: optionalText(200).nullish().describe('What is new, for the history'),
    draft: oneOf(['keep']).optional().describe('Leaves the draft as it is; a project without a draft gets the files in any case'),
  }),
  bodyBytes: maxSiteBodyBytes,
  output: Published,
  success: 200,
  errors: ['project_not_found', 'site_taken_down'],
});

export const listDeploys = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/deploys',
  tag,
  summary: 'List what was published, newest first: the last 10 deploys',
  description: 'At most 10: an older deploy is dropped when another is published. Any of them can be made live again.',
  permission: 'read',
  roles: clientsToo.read,
  isAgencyTool: true,
  rpc: 'projects.ListDeploys',
  input: z.object(OptionalPage).omit({ cursor: true }),
  output: z.object({ deploys: z.array(Deploy).describe('The deploys, newest first; empty if there are none'), total: Total }),
  success: 200,
  errors: ['project_not_found', 'agency_tools_off'],
});

export const rollBackDeploy = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/deploys/{deployId}/rollback',
  tag,
  summary: 'Make an earlier deploy the live site again',
  description: 'Visitors see it at once and whole. The draft stays as it is, and no `project.published` is raised.',
  permission: 'write',
  roles: clientsToo.write,
  isAgencyTool: true,
  rpc: 'projects.RollBackDeploy',
  input: z.strictObject({}),
  output: Published,
  success: 200,
  errors: ['deploy_not_found', 'site_taken_down', 'agency_tools_off'],
});
