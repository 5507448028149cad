import { counter } from '@webkiln/runtime';

export const mailsTotal = counter({
  name: 'webkiln_mails_total',
  help: 'Mails: sent, refused (by the mail server, for good), failed (tried again) or dropped (over a limit of ours)',
  labelNames: ['outcome'],
});
