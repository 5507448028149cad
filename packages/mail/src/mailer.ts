import type { Mailer } from './mail.ts';

/**
 * The mailer for a mail server ("smtp(s)://user:password@host:port") or, without one, for a folder. The transport is
 * loaded with the first mail, because it takes megabytes and many processes never send one.
 */
export function mailerFor({ SMTP_URL, MAIL_DIR = '' }: { SMTP_URL?: string; MAIL_DIR?: string }): Mailer {
  let loaded: Promise<Mailer> | undefined;
  const load = async () => {
    if (SMTP_URL === undefined) return (await import('./file-mailer.ts')).fileMailer(MAIL_DIR);
    return (await import('./smtp-mailer.ts')).smtpMailer(SMTP_URL);
  };
  return {
    async send(mail) {
      loaded ??= load();
      await (await loaded).send(mail);
    },
    close: () => void loaded?.then((mailer) => mailer.close()),
  };
}
