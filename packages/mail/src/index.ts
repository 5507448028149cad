export { mailConfig, mailGoesOut } from './config.ts';
export { brandedMail, type Letter, platformMail } from './letter.ts';
export { type Mail, type Mailbox, messageIdFor } from './mail.ts';
export { type Mailer, mailerFor } from './mailer.ts';
