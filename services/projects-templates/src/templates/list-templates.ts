import { handle } from '@webkiln/rpc';
import { toTemplate } from './template.ts';
import { templatePage } from './template-store.ts';

export const listTemplates = handle('templates.ListTemplates', async (page, caller) => {
  const { records, total, next_cursor } = await templatePage(caller, page);
  return { templates: records.map(toTemplate), total, next_cursor };
});
