import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logger } from '@webkiln/runtime';
import { createTransport } from 'nodemailer';
import type { MailTransport } from './mail.ts';

/** Writes one file `<date>-<address>.eml` per mail, which only its owner may read: mails have links in them. */
export function fileMailer(directory: string): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(mail);
      const file = path.join(directory, `${fileSafe(`${mail.date.toISOString()}-${mail.to.address}`)}.eml`);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // Renamed into place, so that no reader of the folder sees an incomplete mail.
      await writeFile(`${file}.part`, message, { mode: 0o600 });
      await rename(`${file}.part`, file);
      logger.info({ to: mail.to.address, subject: mail.subject, file }, 'mail written');
      logger.debug({ file, text: mail.text }, 'text of a mail');
    },
    close: () => transport.close(),
  };
}

const fileSafe = (name: string) => name.replace(/[^\w.@+-]/g, '-');
