export { mailConfig, mailGoesOut } from './config.ts';
export { brandedMail, type EmailTemplate, platformMail } from './email-template.ts';
export {
  accountMailConsumption,
  type Mail,
  type Mailbox,
  type MailEnvelope,
  type Mailer,
  type MailPurpose,
  mailConsumption,
  messageIdFor,
  plainName,
} from './mail.ts';
export { admittedByIdentity, mailerFor } from './mailer.ts';
