import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import type { MailConsents } from './mail-consents.ts';

export const mailConsentUseCases = (consents: MailConsents) => [
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
