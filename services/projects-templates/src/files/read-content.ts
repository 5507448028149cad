import { handle } from '@webkiln/rpc';
import { readPart } from './read-contents.ts';

/**
 * Reads a part of a content of an organization. Only the gateway calls it, with the SHA-256 of a file that
 * `GetProjectFile` or `GetTemplateFile` showed to its caller, so a change of the draft meanwhile has no effect.
 */
export const readContent = handle('projects.ReadContent', async ({ sha256, offset, length }, caller) => ({
  content: (await readPart(caller.principal, sha256, offset, length)).content,
}));
