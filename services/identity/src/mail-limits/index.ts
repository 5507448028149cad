import { admitMail } from './admit-mail.ts';
import { checkMailQuota } from './check-mail-quota.ts';
import type { MailAdmission } from './mail-admission.ts';

export const mailLimitUseCases = (admission: MailAdmission) => [admitMail(admission), checkMailQuota(admission)];
