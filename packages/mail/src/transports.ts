import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logger } from '@webkiln/runtime';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Mailer } from './mail.ts';

const sendTimeoutMs = 30_000;

/** Sends through a mail server: "smtp(s)://user:password@host:port". */
export function smtpMailer(url: string): Mailer {
  const transport = createTransport({ url, pool: true });
  return {
    async send(mail) {
      try {
        await transport.sendMail({ ...mail, signal: AbortSignal.timeout(sendTimeoutMs) });
        logger.info({ messageId: mail.messageId }, 'mail sent');
      } catch (error) {
        if (!isRefusedForGood(error)) throw error;
        logger.warn({ err: error, messageId: mail.messageId }, 'mail server refused the recipient; the mail is dropped');
      }
    },
    close: () => transport.close(),
  };
}

/** RFC 5321 §4.2.1: a 5yz reply is permanent, so the same recipient must not be retried. */
const isRefusedForGood = (error: unknown) => {
  const { command, permanent } = error as NodemailerError;
  return command === 'RCPT TO' && permanent === true;
};

/** For development: writes one file `<date>-<address>.eml` per mail, and its text with its links to the log. */
export function fileMailer(directory: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(mail);
      const file = path.join(directory, `${fileSafe(`${mail.date.toISOString()}-${mail.to.address}`)}.eml`);
      await mkdir(directory, { recursive: true });
      // Renamed into place, so that no reader of the folder sees an incomplete mail.
      await writeFile(`${file}.part`, message);
      await rename(`${file}.part`, file);
      logger.info({ to: mail.to.address, subject: mail.subject, file, text: mail.text }, 'mail written');
    },
    close: () => transport.close(),
  };
}

const fileSafe = (name: string) => name.replace(/[^\w.@+-]/g, '-');
