import type { Mail } from './mail.ts';

export interface Mailer {
  /** Resolves when the mail is in other hands, or refused for good; rejects when another try may succeed. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/**
 * The mailer for a mail server ("smtp(s)://user:password@host:port") or, without one, for a folder. What sends is loaded with the first
 * mail: it takes megabytes, and many a process never sends one.
 */
export function mailerFor({ SMTP_URL, MAIL_DIR = '' }: { SMTP_URL?: string; MAIL_DIR?: string }): Mailer {
  let loaded: Promise<Mailer> | undefined;
  const load = async () => {
    const { fileMailer, smtpMailer } = await import('./transports.ts');
    return SMTP_URL === undefined ? fileMailer(MAIL_DIR) : smtpMailer(SMTP_URL);
  };
  return {
    async send(mail) {
      loaded ??= load();
      await (await loaded).send(mail);
    },
    close: () => void loaded?.then((mailer) => mailer.close()),
  };
}
