import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { holdManifest } from '../files/manifest-store.ts';
import { templateDeleted } from './template.ts';
import { existingTemplate, TemplateModel } from './template-store.ts';

/** Projects made from it refer to the files themselves, so that they keep them. */
export const deleteTemplate = handle('templates.DeleteTemplate', ({ template_id }, caller) =>
  saveWithRetry(caller, async () => {
    const template = await existingTemplate(caller, template_id);
    assertMatches(caller, template);
    if (template.manifest_id !== null) await holdManifest(caller.principal, template.manifest_id);
    assertInTime(caller);
    await removeChange(TemplateModel, caller, template, [templateDeleted(template)]);
    return { deleted: true, id: template_id };
  }),
);
