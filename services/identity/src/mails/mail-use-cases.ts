import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import type { MailAdmission } from './mail-admission.ts';
import type { MailConsents } from './mail-consents.ts';

export const mailUseCases = (admission: MailAdmission, consents: MailConsents) => [
  /** Counts a mail that a service is about to send against the limits of its recipient and its organization. */
  handle('identity.AdmitMail', async ({ mail_id, recipient, purpose, joined_by_link }, { principal: { org_id } }) => ({
    admitted: await admission.admit({ id: mail_id, org_id, recipient, purpose, isOfJoined: joined_by_link }),
  })),
  /** Throws `quota_exceeded` if the organization has used up its mails of today. */
  handle('identity.CheckMailQuota', async (_request, caller) => {
    assertInternal(caller);
    await admission.assertMailsLeft(caller.principal.org_id);
    return {};
  }),
  handle('identity.GetMailConsent', async ({ recipient, is_clients }, caller) => {
    assertInternal(caller);
    return consents.find({ org_id: caller.principal.org_id, email: recipient, isClients: is_clients });
  }),
  handle('identity.OpenMailConsent', async ({ token }, caller) => {
    assertInternal(caller);
    return consents.open(token);
  }),
  handle('identity.AnswerMailConsent', async ({ token, agrees }, caller) => {
    assertInternal(caller);
    return consents.answer(token, agrees);
  }),
];
