import { handle } from '@webkiln/rpc';
import { fileAt } from '../files/manifest-store.ts';
import { readBeginning } from '../files/read-contents.ts';
import { existingTemplate } from './template-store.ts';

export const getTemplateFile = handle('templates.GetTemplateFile', async ({ template_id, path, max_bytes }, caller) => {
  const { manifest_id } = await existingTemplate(caller, template_id);
  const file = await fileAt(caller.principal, manifest_id, path);
  return { file, content: await readBeginning(caller.principal, file, max_bytes) };
});
