import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import type { MailAdmission } from './mail-admission.ts';

/** Throws `quota_exceeded` if the organization has used up its mails of today. */
export const checkMailQuota = (admission: MailAdmission) =>
  handle('identity.CheckMailQuota', async (_request, caller) => {
    assertInternal(caller);
    await admission.assertMailsLeft(caller.principal.org_id);
    return {};
  });
