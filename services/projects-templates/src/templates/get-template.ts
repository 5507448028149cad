import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toTemplate } from './template.ts';
import { existingTemplate } from './template-store.ts';

export const getTemplate = handle('templates.GetTemplate', async ({ template_id }, caller) => {
  const template = await existingTemplate(caller, template_id);
  return { template: toTemplate(template), etag: etagOf(template) };
});
