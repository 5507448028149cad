import type { FormSettings } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { changeSettings, toSettings } from './form-settings.ts';
import { saveSettings, settingsOf } from './form-settings-store.ts';

export const updateFormSettings = handle('forms.UpdateFormSettings', async (request, caller) => {
  const project = await projectFor(caller, request.project_id);
  const wanted = maskedFields<FormSettings>(request);
  return saveWithRetry(caller, async () => {
    const current = await settingsOf(caller, project);
    assertMatches(caller, current);
    const change = changeSettings(current, wanted);
    const settings = change === null ? current : await saveSettings(caller, current, change);
    return { settings: toSettings(settings), etag: etagOf(settings) };
  });
});
