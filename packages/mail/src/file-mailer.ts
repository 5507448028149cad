import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logger } from '@webkiln/runtime';
import { createTransport } from 'nodemailer';
import type { MailTransport } from './mail.ts';

/** For development: writes one file `<date>-<address>.eml` per mail, and its text with its links to the log. */
export function fileMailer(directory: string): MailTransport {
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
