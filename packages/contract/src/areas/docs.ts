import * as z from 'zod';
import { agentTexts } from '../agents/agent-texts.ts';
import { patternFilter } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';

const DocsPassage = z
  .object({
    title: z.string().describe('The title of the guide'),
    section: z.string().nullable().describe('The heading that the text stands under; null before the first one'),
    url: z
      .string()
      .describe('Where people read it. Without what follows #, and with .md at its end, it is the whole guide as Markdown')
      .register(agentTexts, { text: 'Without what follows #, and with .md at its end, it is the whole guide' }),
    text: z.string().describe('The section as Markdown; of a long one the part where the words stand'),
  })
  .meta({ id: 'DocsPassage', description: 'A section of a guide of this platform' });
export type DocsPassage = z.infer<typeof DocsPassage>;

/** Longer searches are cut. */
export const maxDocsQuery = 200;

export const searchDocs = defineOperation({
  method: 'GET',
  path: '/docs/search',
  tag: 'Docs',
  summary: 'Search the guides of this platform, the best matches first',
  description: 'Words of any case, also misspelt, in English. At most 8 passages, of together 20,000 bytes.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'mcp.SearchDocs',
  input: z.object({
    q: patternFilter(/\S/, 'words to search for').describe(
      `What to search for, at most ${maxDocsQuery} characters; without it nothing is found`,
    ),
  }),
  output: z.object({ passages: z.array(DocsPassage).describe('The passages, the best match first; empty if nothing matches') }),
  success: 200,
  etag: false,
  errors: [],
});
