import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { assertInternal, currentOrganization } from '../authorize.ts';
import { sendsReports } from '../organizations/organization.ts';
import type { MailAdmission } from './mail-admission.ts';
import type { MailConsents } from './mail-consents.ts';

/** The client that the session belongs to. */
function ownClientOf({ principal: { org_id, client_id } }: Caller): readonly [org_id: string, client_id: string] {
  if (client_id === undefined) throw new AppError('role_missing');
  return [org_id, client_id];
}

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
  /** Tells whether a client gets the monthly report, with the token of the link that ends it. */
  handle('identity.GetReportConsent', async ({ client_id }, caller) => {
    assertInternal(caller);
    const { agrees, token } = await consents.findReport(caller.principal.org_id, client_id);
    return { agrees: agrees && sendsReports(await currentOrganization(caller)), token };
  }),
  handle('accounts.GetReportMails', async (_request, caller) => {
    const { agrees: enabled } = await consents.findReport(...ownClientOf(caller));
    return { report_mails: { enabled, offered: sendsReports(await currentOrganization(caller)) } };
  }),
  handle('accounts.UpdateReportMails', async ({ enabled }, caller) => {
    await consents.answerReport(...ownClientOf(caller), enabled);
    return { report_mails: { enabled, offered: sendsReports(await currentOrganization(caller)) } };
  }),
];
