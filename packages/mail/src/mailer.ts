import { logger } from '@webkiln/runtime';
import type { Admit } from './admission.ts';
import type { Mail, MailEnvelope, Mailer, MailTransport } from './mail.ts';
import { mailsTotal } from './mails-total.ts';
import { oneLine } from './plain-name.ts';

const maxHeaderLength = 200;

/** Headers contain names that strangers chose. */
const withSafeHeaders = ({ unsubscribeUrl, ...mail }: Mail): Mail => ({
  ...mail,
  ...(unsubscribeUrl !== undefined && {
    headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }),
  subject: oneLine(mail.subject, maxHeaderLength),
  from: { ...mail.from, name: oneLine(mail.from.name, maxHeaderLength) },
  to: { ...mail.to, name: oneLine(mail.to.name, maxHeaderLength) },
});

interface Ways {
  readonly SMTP_URL?: string;
  readonly MAIL_DIR?: string;
}

/**
 * The mailer for a mail server ("smtp(s)://user:password@host:port") or, without one, for a folder. What is not
 * admitted is dropped silently, because a refusal would tell who has an account. The transport is
 * loaded with the first mail, because it takes megabytes and many processes never send one.
 */
export function mailerFor({ SMTP_URL, MAIL_DIR = '' }: Ways, admit: Admit): Mailer {
  let loaded: Promise<MailTransport> | undefined;
  const load = async () => {
    if (SMTP_URL === undefined) return (await import('./file-mailer.ts')).fileMailer(MAIL_DIR);
    return (await import('./smtp-mailer.ts')).smtpMailer(SMTP_URL);
  };
  const admits = async (mail: MailEnvelope) => {
    if (await admit(mail)) return true;
    mailsTotal.inc({ outcome: 'dropped' });
    logger.warn(
      { messageId: mail.messageId, purpose: mail.purpose, org_id: mail.org_id },
      'mail dropped: its recipient or its organization is over a limit, or its organization is suspended',
    );
    return false;
  };
  return {
    admits,
    async send(mail) {
      if (!(await admits(mail))) return;
      loaded ??= load();
      await (await loaded).send(withSafeHeaders(mail));
    },
    close: () => void loaded?.then((mailer) => mailer.close()),
  };
}
