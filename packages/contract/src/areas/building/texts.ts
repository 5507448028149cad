import * as z from 'zod';
import { text } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';
import { Revision } from './revisions.ts';

const maxDepth = 200;
const maxIndex = 100_000;

export const editText = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/texts',
  tag: 'Projects',
  summary: 'Change one text in a page of the draft, as a person types it into the preview',
  description:
    'Adds a revision; the same text again adds none. The text is plain: markup in it is shown as it is written. In a site of the composer it becomes part of what the site is made of, so that later messages keep it, and it changes wherever the site shows it. 409 if that place of the page has another text, or none that can be changed alone.',
  permission: 'write',
  roles: clientsToo.write,
  embed: true,
  rpc: 'projects.EditText',
  input: z.strictObject({
    page: text(1024).describe('The path of its file, such as `index.html`'),
    at: z
      .array(z.int('must be a whole number').min(0, 'must be at least 0').max(maxIndex, `must be at most ${maxIndex}`), {
        error: 'must be a list of whole numbers',
      })
      .min(1, 'must name at least one child')
      .max(maxDepth, `must have at most ${maxDepth} numbers`)
      .describe('The way from the `html` element to the text: of each node, the place among all children of its parent, from 0'),
    before: z
      .string({ error: 'must be a string' })
      .max(20_000, 'must have at most 20000 characters')
      .describe('The whole text there, with its white space'),
    text: text(2000).describe('The new text; white space around the old one stays'),
  }),
  output: z.object({ revision: Revision }),
  success: 200,
  etag: false,
  errors: ['project_not_found', 'file_not_found', 'text_not_there'],
});
