import { handle } from '@webkiln/rpc';
import { readContent } from '../files/chunk-store.ts';
import { fileAt } from '../files/manifest-store.ts';
import { existingTemplate } from './template-store.ts';

export const getTemplateFile = handle('templates.GetTemplateFile', async ({ template_id, path }, caller) => {
  const { manifest_id } = await existingTemplate(caller, template_id);
  const file = await fileAt(caller.principal, manifest_id, path);
  return { file, content: await readContent(caller.principal, file) };
});
