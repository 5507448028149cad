export { mailConfig, mailGoesOut } from './config.ts';
export {
  accountMailConsumption,
  brandedMail,
  type EmailTemplate,
  type Mail,
  type Mailbox,
  type MailEnvelope,
  type Mailer,
  type MailPurpose,
  mailConsumption,
  messageIdFor,
  plainName,
  platformMail,
} from './mail.ts';
export { admittedByIdentity, mailerFor } from './mailer.ts';
