import { Address, baseConfig, eventsConfig, rpcClientConfig, rpcServerConfig, storeConfig } from '@webkiln/runtime';
import addressparser from 'nodemailer/lib/addressparser';
import * as z from 'zod';
import type { Mailbox } from './mail/mail.ts';

const MailFrom = z
  .string()
  .default('Webkiln <no-reply@localhost>')
  .transform((text, context): Mailbox => {
    const [mailbox, ...others] = addressparser(text, { flatten: true });
    if (mailbox?.address.includes('@') && others.length === 0) return { name: mailbox.name || mailbox.address, address: mailbox.address };
    context.addIssue('must be one mailbox, as in "Kiln Studio <hello@example.com>"');
    return z.NEVER;
  });

/** What clients-plans reads from the environment, once, at start. */
export const ClientsPlansConfig = z
  .object({
    ...baseConfig,
    ...storeConfig,
    ...eventsConfig,
    ...rpcServerConfig,
    ...rpcClientConfig,
    IDENTITY_ADDRESS: Address,
    EVENTS_PREFIX: z
      .string()
      .regex(/^[a-z0-9_]*$/, { error: 'must be lower-case letters, digits and _' })
      .default('')
      .describe('Begins the names of the stream and its subjects, where several platforms share one NATS'),
    ORIGIN: z
      .url({ protocol: /^https?$/, error: 'must be the public address, as in https://app.example.com' })
      .transform((url) => new URL(url).origin),
    INVITATION_SECRET: z
      .string({ error: 'must have at least 32 characters' })
      .min(32, 'must have at least 32 characters')
      .describe('Seals activation links; with another one the links that are out stop working'),
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, error: 'must be smtp://… or smtps://…' })
      .optional()
      .describe('The server that mails go out by'),
    MAIL_DIR: z.string().optional().describe('Without SMTP_URL: the folder that mails are written to, for development'),
    MAIL_FROM: MailFrom.describe('Whom mails come from'),
  })
  .refine(({ SMTP_URL, MAIL_DIR }) => SMTP_URL !== undefined || MAIL_DIR !== undefined, {
    path: ['SMTP_URL'],
    error: 'must be set to send mails, or MAIL_DIR to write them to files',
  });
export type ClientsPlansConfig = z.output<typeof ClientsPlansConfig>;
