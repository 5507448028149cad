import type { FormSettings, Project } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { type ConsentState, consentOf } from '../recipients/consent.ts';
import { recipientOf } from '../recipients/recipient.ts';
import type { StoredSettings } from './form-settings.ts';

const statuses: Readonly<Record<ConsentState, FormSettings['notification_status']>> = {
  unasked: 'unconfirmed',
  asked: 'unconfirmed',
  agreed: 'confirmed',
  withdrawn: 'unsubscribed',
};

/** The public record: the stored settings, and whether their recipient has agreed. */
export async function publicSettings(caller: Caller, project: Project, settings: StoredSettings): Promise<FormSettings> {
  const { notify, notification_email } = settings;
  const service = onBehalf('sites', caller);
  const recipient = await recipientOf(service, project, settings);
  const notification_status = recipient === null ? null : statuses[(await consentOf(service, recipient)).state];
  return { notify, notification_email, notification_status };
}
