export { mailConfig, mailGoesOut } from './config.ts';
export { brandedMail, type Letter, platformMail } from './letter.ts';
export type { Mail, Mailbox } from './mail.ts';
export { type Mailer, mailerFor } from './mailer.ts';
