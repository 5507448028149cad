export { mailConfig, mailGoesOut } from './config.ts';
export { escapeHtml, type Mail, type Mailbox } from './mail.ts';
export { type Mailer, mailerFor } from './mailer.ts';
