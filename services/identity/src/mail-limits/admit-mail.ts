import { handle } from '@webkiln/rpc';
import type { MailAdmission } from './mail-admission.ts';

/** Counts a mail that a service is about to send against the limits of its recipient and its organization. */
export const admitMail = (admission: MailAdmission) =>
  handle('identity.AdmitMail', async ({ mail_id, recipient, purpose }, { principal: { org_id } }) => ({
    admitted: await admission.admit({ id: mail_id, org_id, recipient, purpose }),
  }));
