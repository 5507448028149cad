import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { leaseManifest } from '../files/manifest-store.ts';
import { templateAudited, templateDeleted } from './template.ts';
import { existingTemplate, TemplateModel } from './template-store.ts';

/** Projects created from the template keep their files: they reference the same manifest. */
export const deleteTemplate = handle('templates.DeleteTemplate', ({ template_id }, caller) =>
  saveWithRetry(caller, async () => {
    const template = await existingTemplate(caller, template_id);
    assertMatches(caller, template);
    if (template.manifest_id !== null) await leaseManifest(caller.principal, template.manifest_id);
    assertBeforeDeadline(caller);
    await removeChange(TemplateModel, caller, template, [templateDeleted(template), templateAudited(caller, 'template.deleted', template)]);
    return { deleted: true, id: template_id };
  }),
);
