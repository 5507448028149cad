import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { changeTemplate, type TemplateFields, toTemplate } from './template.ts';
import { existingTemplate, TemplateModel } from './template-store.ts';

export const updateTemplate = handle('templates.UpdateTemplate', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await existingTemplate(caller, request.template_id);
    assertMatches(caller, current);
    const change = changeTemplate(current, maskedFields<TemplateFields>(request));
    const template = change === null ? current : await saveChange(TemplateModel, caller, current, change);
    return { template: toTemplate(template), etag: etagOf(template) };
  }),
);
