import { secret } from '@webkiln/runtime';
import addressparser from 'nodemailer/lib/addressparser';
import * as z from 'zod';
import type { Mailbox } from './mail.ts';

const MailFrom = z
  .string()
  .default('Webkiln <no-reply@localhost>')
  .transform((text, context): Mailbox => {
    const [mailbox, ...others] = addressparser(text, { flatten: true });
    if (mailbox?.address.includes('@') && others.length === 0) return { name: mailbox.name || mailbox.address, address: mailbox.address };
    context.addIssue('must be one mailbox, as in "Kiln Studio <hello@example.com>"');
    return z.NEVER;
  });

/** The settings of a service that sends mail; use them together with `.refine(...mailGoesOut)`. */
export const mailConfig = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be smtp://… or smtps://…' })
    .optional()
    .describe('The server that sends mail')
    .meta(secret),
  MAIL_DIR: z.string().optional().describe('Without SMTP_URL: the folder that mails are written to (for development)'),
  MAIL_FROM: MailFrom.describe('The sender of mails'),
};

type Target = Partial<Record<'SMTP_URL' | 'MAIL_DIR', string>>;

/** Refuses a configuration without a mail server or folder. */
export const mailGoesOut: [check: (target: Target) => boolean, issue: { path: string[]; error: string }] = [
  ({ SMTP_URL, MAIL_DIR }) => SMTP_URL !== undefined || MAIL_DIR !== undefined,
  { path: ['SMTP_URL'], error: 'must be set to send mails, or MAIL_DIR to write them to files' },
];
