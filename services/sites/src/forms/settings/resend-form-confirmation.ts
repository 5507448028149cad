import { AppError } from '@webkiln/contract';
import { onBehalf } from '@webkiln/messages';
import { call, handle } from '@webkiln/rpc';
import { etagOf, saveWithRetry } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { askAgain } from './form-settings.ts';
import { saveSettings, settingsOf } from './form-settings-store.ts';
import { publicSettings } from './public-settings.ts';

export const resendFormConfirmation = handle('forms.ResendFormConfirmation', async ({ project_id }, caller) => {
  const project = await projectFor(caller, project_id);
  return saveWithRetry(caller, async () => {
    const current = await settingsOf(caller, project);
    const settings = await publicSettings(caller, project, current);
    if (settings.notification_status !== 'unconfirmed') throw new AppError('confirmation_not_pending');
    await call('identity.CheckMailQuota', {}, onBehalf('sites', caller));
    return { settings, etag: etagOf(await saveSettings(caller, current, askAgain(current))) };
  });
});
