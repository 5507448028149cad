import { defaultLanguage } from '@webkiln/contract';
import { consume, consumerOf } from '@webkiln/events';
import { accountMailConsumption, type Mailbox, type Mailer, messageIdFor } from '@webkiln/mail';
import { accountMail } from '../mails/account-mail.ts';
import type { AccountMailStore } from '../mails/account-mail-store.ts';

interface Dependencies {
  mails: AccountMailStore;
  mailer: Mailer;
  from: Mailbox;
  /** The public URL, without a trailing slash. */
  origin: string;
}

/** Sends each mail about a sign-in at least once, under one Message-ID, until it expires. */
export function onAccountMail({ mails, mailer, from, origin }: Dependencies): void {
  consume({
    ...consumerOf('identity-account-mail'),
    ...accountMailConsumption,
    atLeastOnceHandler: async ({ id, timestamp, data: { mail_id } }) => {
      const mail = await mails.find(mail_id);
      if (mail === null) return;
      const { email, language = defaultLanguage, subject, about, link, purpose, network } = mail;
      const template = { language, paragraphs: [about], ...(link !== undefined && { link }) };
      await mailer.send({
        org_id: '',
        purpose,
        network,
        isRecipients: network === undefined,
        ...(await accountMail(email, template, { from, origin })),
        messageId: messageIdFor(id, from),
        date: new Date(timestamp),
        to: { name: email, address: email },
        subject,
      });
      await mails.remove(mail_id);
    },
  });
}
