import { handle } from '@webkiln/rpc';
import { toTemplate } from './template.ts';
import { templatePage } from './template-store.ts';

export const listTemplates = handle('templates.ListTemplates', async ({ limit, offset }, caller) => {
  const { records, total } = await templatePage(caller, { limit, offset });
  return { templates: records.map(toTemplate), total };
});
