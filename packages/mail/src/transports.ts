import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logger } from '@webkiln/runtime';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Mailer } from './mailer.ts';

const sendTimeoutMs = 30_000;

/** Sends by a mail server: "smtp(s)://user:password@host:port". */
export function smtpMailer(url: string): Mailer {
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
export function fileMailer(directory: string): Mailer {
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
