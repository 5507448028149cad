import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { changeSettings, type StoredSettings } from './form-settings.ts';
import { saveSettings, settingsOf } from './form-settings-store.ts';
import { publicSettings } from './public-settings.ts';

export const updateFormSettings = handle('forms.UpdateFormSettings', async (request, caller) => {
  const project = await projectFor(caller, request.project_id);
  const wanted = maskedFields<StoredSettings>(request);
  return saveWithRetry(caller, async () => {
    const current = await settingsOf(caller, project);
    assertMatches(caller, current);
    const change = changeSettings(current, wanted);
    const settings = change === null ? current : await saveSettings(caller, current, change);
    return { settings: await publicSettings(caller, project, settings), etag: etagOf(settings) };
  });
});
