import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logger } from '@webkiln/runtime';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Mail } from './mail.ts';

export interface Mailer {
  /** Resolves when the mail is in other hands, or refused for good; rejects when another try may succeed. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

const sendTimeoutMs = 30_000;

/** The mailer for a mail server ("smtp(s)://user:password@host:port") or, without one, for a folder. */
export const mailerFor = ({ SMTP_URL, MAIL_DIR = '' }: { SMTP_URL?: string; MAIL_DIR?: string }): Mailer =>
  SMTP_URL === undefined ? fileMailer(MAIL_DIR) : smtpMailer(SMTP_URL);

function smtpMailer(url: string): Mailer {
  const transport = createTransport({ url, pool: true });
  return {
    async send(mail) {
      try {
        await transport.sendMail({ ...mail, signal: AbortSignal.timeout(sendTimeoutMs) });
        logger.info({ messageId: mail.messageId }, 'mail sent');
      } catch (error) {
        if (!isRefusedForGood(error)) throw error;
        logger.warn({ err: error, messageId: mail.messageId }, 'the mail server refuses the recipient');
      }
    },
    close: () => transport.close(),
  };
}

/** RFC 5321 §4.2.1: after a 5yz reply the same recipient is not to be tried again. */
const isRefusedForGood = (error: unknown) => {
  const { command, permanent } = error as NodemailerError;
  return command === 'RCPT TO' && permanent === true;
};

/** Development's mailer: one file `<date>-<address>.eml` per mail, and its text in the log, where a link can be followed from. */
function fileMailer(directory: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(mail);
      const file = path.join(directory, `${fileSafe(`${mail.date.toISOString()}-${mail.to.address}`)}.eml`);
      await mkdir(directory, { recursive: true });
      // Renamed into place: whoever watches the folder never reads half a mail.
      await writeFile(`${file}.part`, message);
      await rename(`${file}.part`, file);
      logger.info({ to: mail.to.address, subject: mail.subject, file, text: mail.text }, 'mail written');
    },
    close: () => transport.close(),
  };
}

const fileSafe = (name: string) => name.replace(/[^\w.@+-]/g, '-');
