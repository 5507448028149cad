import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { changeTemplate, type TemplateFields, templateAudited, toTemplate } from './template.ts';
import { existingTemplate, TemplateModel } from './template-store.ts';

export const updateTemplate = handle('templates.UpdateTemplate', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await existingTemplate(caller, request.template_id);
    assertMatches(caller, current);
    const change = changeTemplate(current, maskedFields<TemplateFields>(request));
    if (change === null) return { template: toTemplate(current), etag: etagOf(current) };
    const act = templateAudited(caller, 'template.changed', { ...current, ...change.state });
    const template = await saveChange(TemplateModel, caller, current, change.withAudit(act));
    return { template: toTemplate(template), etag: etagOf(template) };
  }),
);
