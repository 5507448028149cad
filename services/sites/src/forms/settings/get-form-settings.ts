import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { toSettings } from './form-settings.ts';
import { settingsOf } from './form-settings-store.ts';

export const getFormSettings = handle('forms.GetFormSettings', async ({ project_id }, caller) => {
  const settings = await settingsOf(caller, await projectFor(caller, project_id));
  return { settings: toSettings(settings), etag: etagOf(settings) };
});
