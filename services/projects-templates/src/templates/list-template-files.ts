import { handle } from '@webkiln/rpc';
import { filesOf } from '../files/manifest-store.ts';
import { existingTemplate } from './template-store.ts';

export const listTemplateFiles = handle('templates.ListTemplateFiles', async ({ template_id }, caller) => {
  const { manifest_id } = await existingTemplate(caller, template_id);
  return { files: await filesOf(caller.principal, manifest_id) };
});
