import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { settingsOf } from './form-settings-store.ts';
import { publicSettings } from './public-settings.ts';

export const getFormSettings = handle('forms.GetFormSettings', async ({ project_id }, caller) => {
  const project = await projectFor(caller, project_id);
  const settings = await settingsOf(caller, project);
  return { settings: await publicSettings(caller, project, settings), etag: etagOf(settings) };
});
