import { AppError, type FormSettings, type Project } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call, handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { type ConsentState, consentOf, recipientOf } from '../recipients/recipient.ts';
import { askAgain, changeSettings, type StoredSettings } from './form-settings.ts';
import { saveSettings, settingsOf } from './form-settings-store.ts';

export const getFormSettings = handle('forms.GetFormSettings', async ({ project_id }, caller) => {
  const project = await projectFor(caller, project_id);
  const settings = await settingsOf(caller, project);
  return { settings: await publicSettings(caller, project, settings), etag: etagOf(settings) };
});

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

const statuses: Readonly<Record<ConsentState, FormSettings['notification_status']>> = {
  unasked: 'unconfirmed',
  asked: 'unconfirmed',
  agreed: 'confirmed',
  withdrawn: 'unsubscribed',
};

/** The public record: the stored settings, and whether their recipient has agreed. */
async function publicSettings(caller: Caller, project: Project, settings: StoredSettings): Promise<FormSettings> {
  const { notify, notification_email } = settings;
  const service = onBehalf('sites', caller);
  const recipient = await recipientOf(service, project, settings);
  const notification_status = recipient === null ? null : statuses[(await consentOf(service, recipient)).state];
  return { notify, notification_email, notification_status };
}
